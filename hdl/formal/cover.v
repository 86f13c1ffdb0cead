// A cover as the assertion of its opposite: a counterexample to that is a history which reaches the cover.
(* techmap_celltype = "$cover" *)
module cover_is_refuted (input A, EN);
    \$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
