//! Functions of memory.

use ispc_ir::module::GangReg;
use ispc_ir::op::{GangOp, OneOperand, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use super::LibraryCall;
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};
use crate::place::GangPlace;

impl FunctionLowerer<'_, '_> {
    pub(crate) fn memory_call(&mut self, call: &LibraryCall) -> Lowers<Option<GangValue>> {
        let name = &*call.name;
        Ok(Some(match (name, call.args.len()) {
            ("memcpy" | "memcpy64" | "memmove" | "memmove64", 3) => {
                let [to, from, count] = self.alike_regs([call.reg(0), call.reg(1), call.reg(2)]);
                let count = self.make.convert(count, NumberType::U64);
                self.make.run(GangOp::CopyBytes { to, from, count });
                self.nothing()
            }
            ("memset" | "memset64", 3) => {
                let [to, value, count] = self.alike_regs([call.reg(0), call.reg(1), call.reg(2)]);
                let count = self.make.convert(count, NumberType::U64);
                self.make.run(GangOp::SetBytes { to, value, count });
                self.nothing()
            }
            ("memory_barrier" | "assume" | "fastmath", _) => self.nothing(),
            (_, 1) if name.starts_with("prefetch") => self.nothing(),
            ("clock", 0) => {
                let reg = self.make.op(GangType::uniform(NumberType::I64), GangOp::Clock);
                self.single(reg)
            }
            ("num_cores", 0) => self.number(NumberType::I32, 1),
            ("streaming_load" | "streaming_load_uniform", 1) => {
                let numbers = self.numbers(&call.gives)?;
                let Some(at) = numbers.first() else { return Ok(None) };
                let reg = self.make.op(at.ty(), GangOp::Load(call.reg(0)));
                self.single(reg)
            }
            ("streaming_store", 2) => {
                self.make.run(GangOp::Store { address: call.reg(0), value: call.reg(1) });
                self.nothing()
            }
            ("packed_load_active", 2) => self.packed_load(call)?,
            ("packed_store_active" | "packed_store_active2", 2) => self.packed_store(call.reg(0), call.reg(1)),
            ("packed_store_active" | "packed_store_active2", 3) => {
                // Lanes in which a condition holds.
                let place = self.temporary(&self.value_type(NumberType::I32, false), "a count");
                let zero = self.number(NumberType::I32, 0);
                self.store(&place, &zero)?;
                self.make.open();
                let count = self.packed_store(call.reg(1), call.reg(2));
                self.store(&place, &count)?;
                let block = self.make.close();
                self.make.run(GangOp::If(call.reg(0), block, Vec::new()));
                self.load(&place)?
            }
            (_, n) if name.starts_with("aos_to_soa") => self.aos_to_soa(call, n)?,
            (_, n) if name.starts_with("soa_to_aos") => self.soa_to_aos(call, n),
            _ => return self.results_in_memory(call),
        }))
    }

    /// Functions of numbers that have results, or a state, in memory.
    fn results_in_memory(&mut self, call: &LibraryCall) -> Lowers<Option<GangValue>> {
        Ok(Some(match (&*call.name, call.args.len()) {
            ("sincos", 3) => {
                for (op, to) in [(OneOperand::Sin, 1), (OneOperand::Cos, 2)] {
                    let value = self.make.one(op, call.reg(0));
                    self.put(&call.args[to], value)?;
                }
                self.nothing()
            }
            ("frexp", 2) => {
                let value = call.reg(0);
                let exponent = self.make.one(OneOperand::Exponent, value);
                let exponent = self.make.convert(exponent, NumberType::I32);
                self.put(&call.args[1], exponent)?;
                let fraction = self.make.one(OneOperand::Fraction, value);
                self.single(fraction)
            }
            ("seed_rng", 2) => self.seed_rng(call)?,
            ("random", 1) => {
                let bits = self.random(&call.args[0])?;
                self.single(bits)
            }
            ("frandom", 1) => {
                let bits = self.random(&call.args[0])?;
                let low = self.make.constant(GangType::uniform(NumberType::U32), (1 << 23) - 1);
                let one = self.make.constant(GangType::uniform(NumberType::U32), 0x3f80_0000);
                let fraction = self.make.two(TwoOperands::And, bits, low);
                let bits = self.make.two(TwoOperands::Or, fraction, one);
                let number = self.make.reinterpret(bits, NumberType::F32);
                let one = self.make.constant(GangType::uniform(NumberType::F32), 1f32.to_bits().into());
                let number = self.make.two(TwoOperands::Sub, number, one);
                self.single(number)
            }
            _ => return Ok(None),
        }))
    }

    /// Registers that all vary if one does.
    fn alike_regs<const N: usize>(&mut self, regs: [GangReg; N]) -> [GangReg; N] {
        let varies = regs.iter().any(|reg| self.make.is_varying(*reg));
        regs.map(|reg| self.make.spread_if(reg, varies))
    }

    /// Puts a number where a pointer leads.
    fn put(&mut self, pointer: &GangValue, value: GangReg) -> Lowers<()> {
        let place = self.pointed(pointer)?;
        let value = self.single(value);
        let data = self.reader().value_of(&place.data, self.place_varies(&place));
        let value = self.converted(value, &data)?;
        self.store(&place, &value)
    }

    fn packed_store(&mut self, address: GangReg, value: GangReg) -> GangValue {
        let count = self.make.op(GangType::uniform(NumberType::I32), GangOp::PackedStore { address, value });
        self.single(count)
    }

    fn packed_load(&mut self, call: &LibraryCall) -> Lowers<GangValue> {
        let to = self.pointed(&call.args[1])?;
        let before = self.load(&to)?;
        let ty = self.make.ty(before.regs[0]);
        let (loaded, count) = (self.make.reg(ty), self.make.reg(GangType::uniform(NumberType::I32)));
        let op = GangOp::PackedLoad { address: call.reg(0), before: before.regs[0] };
        self.make.set(vec![loaded, count], op);
        self.store(&to, &GangValue { data: before.data, regs: vec![loaded] })?;
        Ok(self.single(count))
    }

    /// Structs of `n` numbers to `n` vectors, in all lanes.
    fn aos_to_soa(&mut self, call: &LibraryCall, n_args: usize) -> Lowers<GangValue> {
        let n = n_args - 1;
        self.make.open();
        for part in 0..n {
            let to = self.pointed(&call.args[part + 1])?;
            let number = match self.numbers(&to.data)?.first() {
                Some(at) => at.number,
                None => return self.refuse("there is nothing to read"),
            };
            let address = self.cell_of(call.reg(0), number, part, n);
            let loaded = self.make.op(GangType::varying(number), GangOp::Load(address));
            let value = self.single(loaded);
            self.store(&to, &value)?;
        }
        let block = self.make.close();
        self.make.run(GangOp::AllLanes(block));
        Ok(self.nothing())
    }

    fn soa_to_aos(&mut self, call: &LibraryCall, n_args: usize) -> GangValue {
        let n = n_args - 1;
        self.make.open();
        for part in 0..n {
            let value = call.reg(part);
            let number = self.make.ty(value).number;
            let address = self.cell_of(call.reg(n), number, part, n);
            self.make.run(GangOp::Store { address, value });
        }
        let block = self.make.close();
        self.make.run(GangOp::AllLanes(block));
        self.nothing()
    }

    /// In each lane the address of a part of that lane's struct.
    fn cell_of(&mut self, first: GangReg, number: NumberType, part: usize, n: usize) -> GangReg {
        let lane = self.make.op(GangType::varying(NumberType::I32), GangOp::LaneIndex);
        let address = self.make.moved_by(first, lane, number.bytes() * n as u64);
        self.make.moved(address, part as u64 * number.bytes())
    }

    /// The four numbers of a generator's state.
    fn rng_places(&mut self, state: &GangValue) -> Lowers<[GangPlace; 4]> {
        let whole = self.pointed(state)?;
        let mut of = |name: &str| self.member_place(&whole, name);
        Ok([of("z1")?, of("z2")?, of("z3")?, of("z4")?])
    }

    /// A generator whose four parts are shift registers with feedback, of 31, 29, 28 and 25 bits.
    fn random(&mut self, state: &GangValue) -> Lowers<GangReg> {
        let places = self.rng_places(state)?;
        let rows: [(u64, i64, i64, i64); 4] =
            [(0xffff_fffe, 6, 13, 18), (0xffff_fff8, 2, 27, 2), (0xffff_fff0, 13, 21, 7), (0xffff_ff80, 3, 12, 13)];
        let mut joined = None;
        for (place, (keeps, left, right, moves)) in places.iter().zip(rows) {
            let old = self.load(place)?.regs[0];
            let by = |lowerer: &mut Self, by: i64| lowerer.make.whole(NumberType::U32, by);
            let amount = by(self, left);
            let bits = self.make.two(TwoOperands::Shl, old, amount);
            let bits = self.make.two(TwoOperands::Xor, bits, old);
            let amount = by(self, right);
            let bits = self.make.two(TwoOperands::Shr, bits, amount);
            let keeps = self.make.constant(GangType::uniform(NumberType::U32), keeps);
            let kept = self.make.two(TwoOperands::And, old, keeps);
            let amount = by(self, moves);
            let kept = self.make.two(TwoOperands::Shl, kept, amount);
            let new = self.make.two(TwoOperands::Xor, kept, bits);
            let value = self.single(new);
            self.store(place, &value)?;
            joined = Some(match joined {
                Some(joined) => self.make.two(TwoOperands::Xor, joined, new),
                None => new,
            });
        }
        match joined {
            Some(joined) => Ok(joined),
            None => self.refuse("a generator has four parts"),
        }
    }

    fn seed_rng(&mut self, call: &LibraryCall) -> Lowers<GangValue> {
        let places = self.rng_places(&call.args[0])?;
        let seed = call.reg(1);
        let least = [2u64, 8, 16, 128];
        let mut last = seed;
        for (place, least) in places.iter().zip(least) {
            let bits = self.make.constant(GangType::uniform(NumberType::U32), least);
            let value = self.make.two(TwoOperands::Or, last, bits);
            let factor = self.make.constant(GangType::uniform(NumberType::U32), 1_664_525);
            last = self.make.two(TwoOperands::Mul, last, factor);
            let value = self.single(value);
            self.store(place, &value)?;
        }
        Ok(self.nothing())
    }
}
