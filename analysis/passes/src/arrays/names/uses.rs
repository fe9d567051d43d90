//! Uses of names by ops without blocks: one op for each form.

use ir::entities::{Op, Value};
use ir::ops::Effect;

use super::Numbering;

/// Makes the op for some arrays, each of which a name stands for.
type MakeUse<'m> = dyn FnMut(&mut Numbering, &[(Value, Value)]) -> ir::program::Values + 'm;

/// The most ops that are made of one whose operands are names.
const MOST_USES: usize = 8;

impl Numbering {
    /// An op that works on names.
    pub(super) fn used(&mut self, op: Op) -> Option<()> {
        let data = self.kernel.ops[op].clone();
        let mut names: Vec<Value> = Vec::new();
        for &value in &data.operands {
            if self.names.contains_key(&value) && !names.contains(&value) {
                names.push(value);
            }
        }
        let n_uses: usize = names.iter().map(|name| self.names[name].forms.len()).product();
        if n_uses > MOST_USES && names.len() > 1 {
            // What is written to has to be the array itself; of what is only read, a copy is as good.
            let written = data.operands[0];
            let is_written = self.kernel.effect(op) == Effect::Writes;
            names.retain(|&name| is_written && name == written);
        }
        let operands = data.operands.iter().map(|&value| match names.contains(&value) {
            true => value,
            false => self.as_array(value, data.origin),
        });
        let operands: Vec<Value> = operands.collect();
        let types: Vec<_> = data.results.iter().map(|&result| self.kernel.ty(result)).collect();
        let mut make = |numbering: &mut Numbering, chosen: &[(Value, Value)]| {
            let own = operands
                .iter()
                .map(|value| chosen.iter().find(|(name, _)| name == value).map_or(*value, |&(_, array)| array));
            let own: Vec<Value> = own.collect();
            numbering.make(data.code, data.attr.clone(), &own, &types, data.origin)
        };
        let made = self.for_each_form(&names, &mut Vec::new(), &types, data.origin, &mut make);
        // What gives the results now has their names.
        if let Some(maker) = made.first().and_then(|&value| self.kernel.def_op(value)) {
            self.set_results(maker, data.results.iter().copied().collect());
        }
        Some(())
    }

    fn for_each_form(
        &mut self,
        names: &[Value],
        chosen: &mut Vec<(Value, Value)>,
        types: &[ir::Type],
        origin: ir::Origin,
        make: &mut MakeUse<'_>,
    ) -> ir::program::Values {
        let Some((&name, others)) = names.split_first() else { return make(self, chosen) };
        let named = self.names[&name].clone();
        self.by_turn(named.turn, named.forms.len(), types, origin, &mut |numbering, number| {
            let array = numbering.view(&named, number, origin);
            chosen.push((name, array));
            let made = numbering.for_each_form(others, chosen, types, origin, make);
            chosen.pop();
            made
        })
    }
}
