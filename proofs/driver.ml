(* Reads what `check.py` writes: words. Calls the checker that Coq proved, and says what it says.
   Exit status 0: accepted. 1: not accepted. *)

open Checker

let next () = Scanf.scanf " %s" (fun word -> if word = "" then failwith "the input ends early" else word)

let rec natural n = if n <= 0 then O else S (natural (n - 1))

let count () = int_of_string (next ())

(* Binary digits, the first one first. *)
let positive digits =
  let add number digit = match number, digit with
    | None, '0' -> None
    | None, '1' -> Some XH
    | Some p, '0' -> Some (XO p)
    | Some p, '1' -> Some (XI p)
    | _ -> failwith "a wrong digit" in
  String.fold_left add None digits

(* A sign, the binary digits of a numerator, a slash, those of a denominator. *)
let rational () =
  let word = next () in
  let slash = String.index word '/' in
  let numerator = positive (String.sub word 1 (slash - 1)) in
  let denominator = positive (String.sub word (slash + 1) (String.length word - slash - 1)) in
  let numerator = match word.[0], numerator with
    | '+', None -> Z0
    | '+', Some p -> Zpos p
    | '-', Some p -> Zneg p
    | _ -> failwith "a wrong sign" in
  match denominator with
  | Some denominator -> { qnum = numerator; qden = denominator }
  | None -> failwith "a denominator is zero"

(* Items in the order of the input. *)
let list item =
  let rec read n items = if n = 0 then List.rev items else let one = item () in read (n - 1) (one :: items) in
  read (count ()) []

let vector () = let x = rational () in let y = rational () in let z = rational () in make_vector x y z

let pair () = let i = count () in let j = count () in (natural i, natural j)

let vertex () = let from = vector () in make_vertex from (vector ())

let piece () = let radius = rational () in let corners = list vertex in { corners; radius }

let step () = match next () with
  | "pose" ->
    let qw = rational () in let qx = rational () in let qy = rational () in let qz = rational () in
    let shift = vector () in
    Pose ({ qw; qx; qy; qz }, shift)
  | "slide" -> Slide (list vector)
  | _ -> failwith "a wrong step"

let move () = let until = rational () in let steps = list step in { until; steps }

let frame () =
  let off_turn = rational () in let off_shift = rational () in let moves = list move in
  { moves; off_turn; off_shift }

let part () = let chain = list frame in let pieces = list piece in { chain; pieces }

let own () = let p = pair () in let s = rational () in (p, s)

let rec tree () = match next () with
  | "t" -> let t = rational () in let before = tree () in let after = tree () in Split_time (t, before, after)
  | "a" -> let n = count () in let first = tree () in let rest = tree () in Split_a (natural n, first, rest)
  | "b" -> let n = count () in let first = tree () in let rest = tree () in Split_b (natural n, first, rest)
  | "apart" -> let first = vector () in let last = vector () in Apart (first, last)
  | _ -> failwith "a wrong node"

let proof () = let range_a = pair () in let range_b = pair () in let nodes = tree () in { range_a; range_b; nodes }

let certificate () =
  let free_until = rational () in
  let separation = rational () in
  let parts = list part in
  let separations = list own in
  let unchecked = list pair in
  let proofs = list proof in
  { free_until; separation; parts; separations; unchecked; proofs }

let () =
  let accepted = check (certificate ()) in
  print_endline (if accepted then "accepted" else "not accepted");
  exit (if accepted then 0 else 1)
