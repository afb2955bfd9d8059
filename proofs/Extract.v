(** The checker as a program in OCaml. Nothing of Coq's arithmetic is replaced: integers are lists of binary digits. *)

From Proofs Require Import Checker.
From Coq Require Import Extraction ExtrOcamlBasic.

(** For the driver, which does not know how the fields are called in OCaml. *)
Definition make_vector (a b c : Q) : vec Q := Vec a b c.
Definition make_vertex (a b : vec Q) : vertex := Vertex a b.

Extraction Language OCaml.
Extraction "checker.ml" check make_vector make_vertex.
