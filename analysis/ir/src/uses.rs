//! The users of each value.

use crate::entities::{Entity, EntityVec, Op, Region, Value};
use crate::program::Kernel;

/// A user of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// An op, as its operand with this number.
    Operand(Op, usize),
    /// A region yields the value.
    Yield(Region),
}

/// The users of each value of a kernel in one state, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uses {
    /// The end of each value's users in the list; those of the next value start there.
    ends: EntityVec<Value, u32>,
    list: Vec<Use>,
}

impl Uses {
    /// The users of each value of a kernel as it is now.
    pub fn of(kernel: &Kernel) -> Uses {
        let mut found: Vec<(Value, Use)> = Vec::with_capacity(kernel.values.len());
        let mut ends: EntityVec<Value, u32> = EntityVec::filled(kernel.values.len(), 0);
        let mut add = |value: Value, user: Use| {
            ends[value] += 1;
            found.push((value, user));
        };
        kernel.regions[kernel.body].yields.iter().for_each(|&value| add(value, Use::Yield(kernel.body)));
        kernel.walk(kernel.body, &mut |_, op| {
            let data = &kernel.ops[op];
            data.operands.iter().enumerate().for_each(|(number, &value)| add(value, Use::Operand(op, number)));
            for &region in &data.regions {
                kernel.regions[region].yields.iter().for_each(|&value| add(value, Use::Yield(region)));
            }
        });
        // Counted first, then put into their places: each value's users are one run of the list.
        let mut next = 0;
        for count in ends.values_mut() {
            (*count, next) = (next, next + *count);
        }
        let mut list = vec![Use::Yield(kernel.body); found.len()];
        for (value, user) in found {
            list[ends[value] as usize] = user;
            ends[value] += 1;
        }
        Uses { ends, list }
    }

    /// The users of a value.
    pub fn users(&self, value: Value) -> &[Use] {
        let start = value.index().checked_sub(1).map_or(0, |before| self.ends[Value::new(before)]);
        &self.list[start as usize..self.ends[value] as usize]
    }

    /// The only user of a value; `None` if it has none, or several.
    pub fn only_user(&self, value: Value) -> Option<Use> {
        match *self.users(value) {
            [user] => Some(user),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Code;
    use crate::read;

    #[test]
    fn users_are_found_in_the_order_of_the_text() {
        let text = "\
kernel k(a: f32[n], n: i32) -> i32:
    let m = (n + n)
    a[m] = 1.0
    return m
";
        let kernel = read(text, None).expect("a kernel").remove(0);
        let uses = Uses::of(&kernel);
        let [a, n] = [0, 1].map(|number| kernel.params[number].value);
        let ops = &kernel.regions[kernel.body].ops;
        let [sum, store] = [Code::Add, Code::Store]
            .map(|code| *ops.iter().find(|&&op| kernel.ops[op].code == code).expect("an op with this code"));
        let m = kernel.ops[sum].results[0];
        assert_eq!(uses.users(n), [Use::Operand(sum, 0), Use::Operand(sum, 1)]);
        assert_eq!(uses.users(m), [Use::Yield(kernel.body), Use::Operand(store, 1)]);
        assert_eq!((uses.only_user(a), uses.only_user(m)), (Some(Use::Operand(store, 0)), None));
    }
}
