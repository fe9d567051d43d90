//! Places in memory: what they hold, how it is read and set.

use std::rc::Rc;

use ispc_ir::module::GangReg;
use ispc_ir::op::{GangOp, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::data::{DataForm, NumberAt, NumberCells, group_width, n_numbers};
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};

/// A place: an address, one for all lanes or one a lane, and what is stored there.
#[derive(Clone, Debug)]
pub(crate) struct GangPlace {
    pub(crate) address: GangReg,
    pub(crate) data: Rc<DataForm>,
    /// In `soa` data, the index in the group.
    pub(crate) inner: Option<GangReg>,
    /// The elements of a short vector that are meant, if it is not all.
    pub(crate) letters: Option<Vec<u64>>,
}

impl GangPlace {
    pub(crate) fn new(address: GangReg, data: Rc<DataForm>) -> GangPlace {
        GangPlace { address, data, inner: None, letters: None }
    }
}

impl FunctionLowerer<'_, '_> {
    /// Returns true if each lane has a place of its own.
    pub(crate) fn place_varies(&self, place: &GangPlace) -> bool {
        self.make.is_varying(place.address) || place.inner.is_some_and(|inner| self.make.is_varying(inner))
    }

    /// The address of a number of a place, and the type of the register that it is read into.
    fn cell(&mut self, place: &GangPlace, at: NumberAt) -> (GangReg, GangType) {
        let mut address = self.make.moved(place.address, at.offset);
        match at.cells {
            NumberCells::EachLane if self.make.is_varying(address) => {
                let lane = self.make.op(GangType::varying(NumberType::I32), GangOp::LaneIndex);
                address = self.make.moved_by(address, lane, at.number.bytes());
            }
            NumberCells::Group(_) => {
                if let Some(inner) = place.inner {
                    address = self.make.moved_by(address, inner, at.number.bytes());
                }
            }
            _ => {}
        }
        let is_varying = at.cells == NumberCells::EachLane || self.make.is_varying(address);
        (address, GangType { number: at.number, is_varying })
    }

    /// The content of a place.
    pub(crate) fn load(&mut self, place: &GangPlace) -> Lowers<GangValue> {
        if let Some(letters) = place.letters.clone() {
            let mut regs = Vec::new();
            for letter in letters {
                let part = self.element_place(place, letter)?;
                regs.extend(self.load(&part)?.regs);
            }
            let varies = self.place_varies(place);
            let data = self.reader().value_of(&place.data, varies);
            let DataForm::Vector(of, _) = &*data else { return self.refuse("these letters are of no short vector") };
            let data = Rc::new(DataForm::Vector(of.clone(), regs.len() as u64));
            return Ok(GangValue { data, regs });
        }
        let numbers = self.numbers(&place.data)?;
        let mut regs = Vec::with_capacity(numbers.len());
        for at in numbers {
            let (address, ty) = self.cell(place, at);
            regs.push(self.make.op(ty, GangOp::Load(address)));
        }
        let varies = self.place_varies(place);
        let data = self.reader().value_of(&place.data, varies);
        Ok(GangValue { data, regs })
    }

    /// Sets a place to a value of its type.
    pub(crate) fn store(&mut self, place: &GangPlace, value: &GangValue) -> Lowers<()> {
        if let Some(letters) = place.letters.clone() {
            let n = value.regs.len() / letters.len().max(1);
            for (nth, letter) in letters.into_iter().enumerate() {
                let part = self.element_place(place, letter)?;
                let regs = value.regs[nth * n..(nth + 1) * n].to_vec();
                self.store(&part, &GangValue { data: part.data.clone(), regs })?;
            }
            return Ok(());
        }
        let numbers = self.numbers(&place.data)?;
        if numbers.len() != value.regs.len() {
            return self.refuse("a value of another size would be stored here");
        }
        for (at, reg) in numbers.into_iter().zip(&value.regs) {
            let (address, ty) = self.cell(place, at);
            if !ty.is_varying && self.make.is_varying(*reg) {
                return self.refuse("each lane's own value would be stored where all lanes have one");
            }
            let reg = self.make.spread_if(*reg, ty.is_varying);
            self.make.run(GangOp::Store { address, value: reg });
        }
        Ok(())
    }

    /// The place of an element of a short vector or array, by a number.
    pub(crate) fn element_place(&mut self, whole: &GangPlace, nth: u64) -> Lowers<GangPlace> {
        let of = match &*whole.data {
            DataForm::Vector(of, _) | DataForm::Array(of, _) => of.clone(),
            _ => return self.refuse("an element is asked of what has none"),
        };
        let address = self.make.moved(whole.address, nth * self.reader().size(&of));
        Ok(GangPlace { address, data: of, inner: whole.inner, letters: None })
    }

    /// The place of an element, by an index.
    pub(crate) fn indexed(&mut self, whole: &GangPlace, index: GangReg) -> Lowers<GangPlace> {
        let of = match &*whole.data {
            DataForm::Vector(of, _) | DataForm::Array(of, _) => of.clone(),
            _ => return self.refuse("an element is asked of what has none"),
        };
        if whole.inner.is_none()
            && !matches!(*of, DataForm::Array(..))
            && let Some(width) = group_width(&of)
        {
            return Ok(self.in_groups(whole.address, index, of, width));
        }
        let size = self.reader().size(&of);
        let address = self.make.moved_by(whole.address, index, size);
        Ok(GangPlace { address, data: of, inner: whole.inner, letters: None })
    }

    /// The place of an element of `soa` data: its group, and the index in that.
    pub(crate) fn in_groups(&mut self, address: GangReg, index: GangReg, data: Rc<DataForm>, width: u32) -> GangPlace {
        let index = self.make.convert(index, NumberType::I64);
        let shift = self.make.whole(NumberType::I64, width.trailing_zeros().into());
        let low = self.make.whole(NumberType::I64, i64::from(width) - 1);
        let group = self.make.two(TwoOperands::Shr, index, shift);
        let inner = self.make.two(TwoOperands::And, index, low);
        let size = self.reader().size(&data);
        let address = self.make.moved_by(address, group, size);
        GangPlace { address, data, inner: Some(inner), letters: None }
    }

    /// The place of a member, by its name.
    pub(crate) fn member_place(&mut self, whole: &GangPlace, name: &str) -> Lowers<GangPlace> {
        if let DataForm::Struct(of) = &*whole.data {
            let Some(member) = of.members.iter().find(|member| *member.name == *name).cloned() else {
                return self.refuse("this struct has no such member");
            };
            let address = self.make.moved(whole.address, member.offset);
            return Ok(GangPlace { address, data: member.data, inner: whole.inner, letters: None });
        }
        let letters = match (&whole.letters, &*whole.data) {
            (Some(chosen), _) => {
                let letters = self.letters(name, chosen.len() as u64)?;
                letters.iter().filter_map(|nth| chosen.get(*nth as usize).copied()).collect()
            }
            (None, DataForm::Vector(_, count)) => self.letters(name, *count)?,
            _ => return self.refuse("a member is asked of what has none"),
        };
        let whole = GangPlace { letters: None, ..whole.clone() };
        match letters[..] {
            [one] => self.element_place(&whole, one),
            _ => Ok(GangPlace { letters: Some(letters), ..whole }),
        }
    }

    /// The elements of so many that letters mean.
    fn letters(&self, name: &str, count: u64) -> Lowers<Vec<u64>> {
        let of = |letter: char| {
            let at = ["xyzw", "rgba", "uv"].iter().find_map(|set| set.find(letter)).map(|at| at as u64);
            at.filter(|at| *at < count)
        };
        match name.chars().map(of).collect() {
            Some(letters) => Ok(letters),
            None => self.refuse("these letters name no elements"),
        }
    }

    /// A part of a value: a member of a struct, or elements of a short vector.
    pub(crate) fn member_of(&mut self, value: &GangValue, name: &str) -> Lowers<GangValue> {
        match &*value.data {
            DataForm::Struct(of) => {
                let Some(member) = of.members.iter().find(|member| *member.name == *name) else {
                    return self.refuse("this struct has no such member");
                };
                let n = n_numbers(&member.data) as usize;
                let regs = value.regs[member.first..member.first + n].to_vec();
                Ok(GangValue { data: member.data.clone(), regs })
            }
            DataForm::Vector(of, count) => {
                let letters = self.letters(name, *count)?;
                let regs = letters.iter().map(|nth| value.regs[*nth as usize]).collect();
                let data = if letters.len() == 1 {
                    of.clone()
                } else {
                    Rc::new(DataForm::Vector(of.clone(), letters.len() as u64))
                };
                Ok(GangValue { data, regs })
            }
            _ => self.refuse("a member is asked of what has none"),
        }
    }

    /// Memory of the function for a value.
    pub(crate) fn temporary(&mut self, data: &Rc<DataForm>, name: &str) -> GangPlace {
        let size = self.reader().size(data);
        let address = self.make.slot(name, size);
        GangPlace::new(address, data.clone())
    }
}
