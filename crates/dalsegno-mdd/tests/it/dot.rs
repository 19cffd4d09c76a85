//! Drawings.

use crate::explicit::{build, manager};

#[test]
fn a_drawing_does_not_depend_on_what_was_done_before() {
    let vectors = [vec![0, 1], vec![1, 1], vec![2, 1], vec![4, 1], vec![5, 0]].into();
    let expected = "digraph set {
  node [shape=circle, label=\"\"];
  one [shape=box, label=\"1\"];
  l0 [shape=plaintext, label=\"x\\\"0\"];
  { rank=same; l0; n0; }
  n0 -> n1 [label=\"0..2, 4\"];
  n0 -> n2 [label=\"5\"];
  l1 [shape=plaintext, label=\"x\\\"1\"];
  { rank=same; l1; n1; n2; }
  l0 -> l1 [style=invis];
  n1 -> one [label=\"1\"];
  n2 -> one [label=\"0\"];
}
";
    for before in 0..3 {
        let mut m = manager(2, true);
        let _others: Vec<_> = (0..before)
            .map(|i| m.singleton(&[i, 2 + i]).expect("no limits"))
            .collect();
        let set = build(&mut m, &vectors);
        let mut text = Vec::new();
        let name = |level| format!("x\"{level}");
        m.write_dot(&set, name, &mut text).expect("no file");
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
