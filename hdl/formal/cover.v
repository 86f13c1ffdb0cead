// What abc is asked, as assertions: whether each assertion holds, and, by a counterexample to its opposite, whether it is
// asked, that is, there is a history in which it counts and holds. In the same way a cover is reached.
(* techmap_celltype = "$assert" *)
module assert_holds_and_is_asked (input A, EN);
    \$assert holds (.A(A), .EN(EN));
    \$assert asked (.A(!A), .EN(EN));
endmodule

(* techmap_celltype = "$cover" *)
module cover_is_reached (input A, EN);
    \$assert reached (.A(!A), .EN(EN));
endmodule
