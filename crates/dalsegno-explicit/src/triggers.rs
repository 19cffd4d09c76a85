//! For large nets: each group is filed under one of its inputs, and only groups filed under marked places are looked at.

use dalsegno_kripke::Model;

use crate::layout::Layout;

/// The groups of a model by the inputs that they are filed under.
#[derive(Clone, Debug)]
pub(crate) struct Triggers {
    /// The variable that each bit of each word belongs to.
    variable_at: Vec<u32>,
    /// The bits of the field of each variable.
    clear: Vec<u64>,
    /// The groups filed under each variable, flattened.
    starts: Vec<u32>,
    filed: Vec<u32>,
    /// The groups without inputs.
    always: Vec<u32>,
}

impl Triggers {
    pub fn new(model: &Model, layout: &Layout) -> Self {
        let n = layout.fields.len();
        let mut use_count = vec![0u32; n];
        for linear in model.groups().iter().filter_map(|g| g.as_linear()) {
            for &(v, _) in linear.pre() {
                use_count[v.index()] += 1;
            }
        }
        let mut by_variable: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut always = Vec::new();
        for (g, group) in (0..).zip(model.groups()) {
            let inputs = group.as_linear().map_or(&[][..], |l| l.pre());
            // The input that the fewest groups share is the rarest one to be marked, roughly.
            let rarest = inputs
                .iter()
                .map(|&(v, _)| v.index())
                .min_by_key(|&v| use_count[v]);
            match rarest {
                Some(v) => by_variable[v].push(g),
                None => always.push(g),
            }
        }
        let variable_at = layout.owners();
        let mut clear = vec![0; n];
        for (i, f) in layout.fields.iter().enumerate() {
            for bit in f.shift..=f.shift + f.width {
                clear[i] |= 1 << bit;
            }
        }
        let mut starts = vec![0];
        let mut filed = Vec::new();
        for groups in by_variable {
            filed.extend(groups);
            starts.push(filed.len() as u32);
        }
        Triggers {
            variable_at,
            clear,
            starts,
            filed,
            always,
        }
    }

    /// The groups that may be enabled in a packed state.
    pub fn candidates<'a>(&'a self, state: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        let marked = state.iter().enumerate().flat_map(move |(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let bit = left.trailing_zeros() as usize;
                let variable = self.variable_at[word * 64 + bit] as usize;
                left &= !self.clear[variable];
                Some(variable)
            })
        });
        let filed = marked.flat_map(move |v| {
            self.filed[self.starts[v] as usize..self.starts[v + 1] as usize]
                .iter()
                .copied()
        });
        self.always.iter().copied().chain(filed)
    }
}
