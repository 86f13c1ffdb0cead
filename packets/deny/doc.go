// Package deny is no API: it drops packets at an interface by a list of addresses and prefixes, and
// follows the changes of the list.
//
// The kernel asks the list for each packet: ranges of IPv4 and a trie, which are exact, and a
// deletable filter of IPv6. The filter finds each member, and now and then an address that is none.
// Its deletes can leave a member visible, because
// others share its bits. A list that changes must let go of what was deleted, so the filter is
// built again if that happens, or if its plan is over. The next filter takes the place of the old
// one in one update, and no member's packet passes meanwhile.
//
// Nothing is in force before the program is loaded and the lists are in their tables, so input that
// is bad leaves no program behind.
package deny
