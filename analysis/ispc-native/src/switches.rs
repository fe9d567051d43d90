//! `switch`, and blocks with labels.

use ispc_ir::module::{GangBlock, GangReg, JumpId};
use ispc_ir::op::SwitchCase;

use crate::flow::{JumpPlace, leaving, parting};
use crate::function::{Around, Compiles, FunctionEmitter, Mask, element};
use crate::value::Operand;

impl<'m> FunctionEmitter<'m> {
    pub(crate) fn switch(&mut self, id: JumpId, value: GangReg, cases: &'m [SwitchCase]) -> Compiles {
        let parts = cases.iter().any(|case| !parting(self.function, &case.block).is_empty());
        if !self.type_of(value).is_varying && !parts {
            return self.switch_together(id, value, cases);
        }
        let ty = self.type_of(value);
        let (element, width) = (element(ty.number), ty.number.bits());
        let before = self.mask.clone();
        let (entry, masks) = (self.mask_vector(), self.kept_type());
        let plain = self.plain(value);
        let mut others = entry;
        let mut starts: Vec<Option<Operand>> = vec![None; cases.len()];
        let mut default = None;
        for (nth, case) in cases.iter().enumerate() {
            for wanted in &case.values {
                let Some(wanted) = wanted else {
                    default = Some(nth);
                    continue;
                };
                let wanted = crate::function::wrapped(*wanted, width);
                let wanted = if width == 1 { wanted & 1 } else { wanted };
                let is_it = match ty.is_varying {
                    true => {
                        let (vector, wanted) = (self.shaped(element, true), self.constant(element, wanted, true));
                        self.set(format!("icmp eq {vector} {plain}, {wanted}"))
                    }
                    false => {
                        let is_it = self.set(format!("icmp eq {element} {plain}, {wanted}"));
                        self.splat("i1", &is_it)
                    }
                };
                let here = self.both(&others, &is_it);
                others = self.apart(&others, &is_it);
                starts[nth] = Some(match starts[nth].take() {
                    Some(known) => self.either(&known, &here),
                    None => here,
                });
            }
        }
        if let Some(nth) = default {
            starts[nth] = Some(match starts[nth].take() {
                Some(known) => self.either(&known, &others),
                None => others.clone(),
            });
        }
        let [now, broken] = [(); 2].map(|()| self.allocate(&masks));
        self.no_lanes(&now);
        self.no_lanes(&broken);
        for (case, start) in cases.iter().zip(starts) {
            let carried = self.mask_in(&now);
            let mask = match start {
                Some(start) => self.either(&carried, &start),
                None => carried,
            };
            self.no_lanes(&now);
            let (any, on, end) = (self.any(&mask), self.new_label(), self.new_label());
            self.branch_on(&any, &on, &end);
            self.label(&on);
            self.mask = Mask::Some(mask);
            self.around.push(Around::SwitchParting { id: id.0, end: end.clone(), broken: broken.clone() });
            self.block(&case.block)?;
            self.around.pop();
            if self.is_open {
                self.keep_mask(&now);
                self.jump_to(&end);
            }
            self.label(&end);
            self.may_be_none = false;
        }
        let leaves = cases.iter().flat_map(|case| leaving(&case.block)).any(|place| place != JumpPlace::Behind(id));
        self.mask = before;
        if leaves {
            let [now, broken] = [now, broken].map(|cell| self.mask_in(&cell));
            let mut on = self.either(&now, &broken);
            if default.is_none() {
                on = self.either(&on, &others);
            }
            (self.mask, self.may_be_none) = (Mask::Some(on), true);
        }
        Ok(())
    }

    fn switch_together(&mut self, id: JumpId, value: GangReg, cases: &'m [SwitchCase]) -> Compiles {
        let mask = self.mask.clone();
        let number = self.type_of(value).number;
        let (plain, element) = (self.plain(value), element(number));
        let end = self.new_label();
        let labels: Vec<Operand> = cases.iter().map(|_| self.new_label()).collect();
        let mut default = end.clone();
        let mut ways = Vec::new();
        let mut known = std::collections::HashSet::new();
        for (case, label) in cases.iter().zip(&labels) {
            for value in &case.values {
                match value {
                    Some(value) => {
                        let value = crate::function::wrapped(*value, number.bits());
                        let value = if number.bits() == 1 { value & 1 } else { value };
                        if known.insert(value) {
                            ways.push(format!("{element} {value}, label %{label}"));
                        }
                    }
                    None => default = label.clone(),
                }
            }
        }
        self.line(format!("switch {element} {plain}, label %{default} [{}]", ways.join(" ")));
        self.is_open = false;
        self.around.push(Around::SwitchTogether { id: id.0, end: end.clone() });
        for (nth, case) in cases.iter().enumerate() {
            self.label(&labels[nth]);
            self.mask = mask.clone();
            self.block(&case.block)?;
            self.may_be_none = false;
            if self.is_open {
                let next = labels.get(nth + 1).unwrap_or(&end).clone();
                self.jump_to(&next);
            }
        }
        self.around.pop();
        self.label(&end);
        self.mask = mask;
        Ok(())
    }

    pub(crate) fn labelled(&mut self, blocks: &'m [(JumpId, GangBlock)]) -> Compiles {
        let before = self.mask.clone();
        let parts = blocks.iter().any(|(_, block)| !parting(self.function, block).is_empty());
        let cell = self.allocate(&self.kept_type());
        self.keep_mask(&cell);
        let labels: Vec<(u32, Operand)> = blocks.iter().map(|(id, _)| (id.0, self.new_label())).collect();
        let end = self.new_label();
        self.jump_to(&labels[0].1);
        self.around.push(Around::Labelled { labels: labels.clone(), mask: cell.clone() });
        for (nth, (_, block)) in blocks.iter().enumerate() {
            self.label(&labels[nth].1);
            match parts {
                true => self.take_mask(&cell),
                false => self.mask = before.clone(),
            }
            self.may_be_none = parts;
            self.block(block)?;
            if self.is_open {
                self.keep_mask(&cell);
                let next = labels.get(nth + 1).map_or(&end, |(_, label)| label).clone();
                self.jump_to(&next);
            }
        }
        self.around.pop();
        self.label(&end);
        (self.mask, self.may_be_none) = (before, false);
        if parts {
            self.take_mask(&cell);
            self.may_be_none = true;
        }
        Ok(())
    }
}
