//! Programs made by hand: what the verifier finds, and what the machine does with lanes.

use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::module::{CallTarget, GangBlock, GangFunction, GangInst, GangModule, GangReg, JumpId, TextPlace};
use ispc_ir::op::{GangComparison, GangOp, LaneJoin, TwoOperands};
use ispc_ir::types::{GangType, NumberType};
use ispc_ir::verify::verify;

const LANES: u32 = 4;

fn inst(result: Option<u32>, op: GangOp) -> GangInst {
    GangInst { results: result.map(GangReg).into_iter().collect(), op, place: TextPlace::default() }
}

fn uniform() -> GangType {
    GangType::uniform(NumberType::I32)
}

fn varying() -> GangType {
    GangType::varying(NumberType::I32)
}

fn truth() -> GangType {
    GangType::varying(NumberType::Bool)
}

/// A program of one function, which takes a varying number as `%0` and gives one.
fn module(regs: &[GangType], body: GangBlock) -> GangModule {
    let function = GangFunction {
        name: "f".to_owned(),
        params: vec![GangReg(0)],
        gives: vec![varying()],
        regs: [&[varying()], regs].concat(),
        slots: Vec::new(),
        variables: Vec::new(),
        n_jumps: 2,
        body,
        is_external: false,
        is_of_c: false,
        symbol: None,
    };
    GangModule { lanes: LANES, functions: vec![function], ..GangModule::default() }
}

fn error(regs: &[GangType], body: GangBlock) -> String {
    let errors = verify(&module(regs, body));
    errors.first().map_or_else(String::new, |error| error.message.clone())
}

fn returned(value: u32) -> GangInst {
    inst(None, GangOp::Return(vec![GangReg(value)]))
}

#[test]
fn registers_are_set_once_in_front_of_their_uses() {
    let lane = || inst(Some(1), GangOp::LaneIndex);
    assert_eq!(error(&[varying()], vec![lane(), returned(1)]), "");
    assert_eq!(error(&[varying()], vec![lane(), lane()]), "%1 is set twice");
    assert_eq!(error(&[varying()], vec![returned(1), lane()]), "%1 is used where it is not set");
    // What a branch sets is not there behind it.
    let test = inst(Some(2), GangOp::Compare(GangComparison::Less, GangReg(0), GangReg(0)));
    let branch = inst(None, GangOp::If(GangReg(2), vec![lane()], Vec::new()));
    assert_eq!(error(&[varying(), truth()], vec![test, branch, returned(1)]), "%1 is used where it is not set");
}

#[test]
fn operands_have_the_type_of_their_op() {
    let one = || inst(Some(1), GangOp::Constant(1));
    let sum = inst(Some(2), GangOp::Two(TwoOperands::Add, GangReg(0), GangReg(1)));
    let found = error(&[uniform(), varying()], vec![one(), sum]);
    assert_eq!(found, "%1 is a uniform int32, where a varying int32 is wanted");
    let load = inst(Some(1), GangOp::Load(GangReg(0)));
    assert_eq!(error(&[varying()], vec![load]), "%0 is used as an address");
    let branch = inst(None, GangOp::If(GangReg(0), Vec::new(), Vec::new()));
    assert_eq!(error(&[], vec![branch]), "%0 is tested and is no truth value");
    assert_eq!(error(&[uniform()], vec![one(), returned(1)]), "%1 is a uniform int32, where a varying int32 is wanted");
}

#[test]
fn jumps_stand_inside_of_what_they_leave() {
    let message = "a jump leads to what is not around it";
    assert_eq!(error(&[], vec![inst(None, GangOp::Break(JumpId(0)))]), message);
    assert_eq!(error(&[], vec![inst(None, GangOp::Goto(JumpId(0)))]), message);
    let body = |jump: GangOp| GangOp::Loop {
        id: JumpId(0),
        test: None,
        body: vec![inst(None, jump)],
        step: Vec::new(),
        again: None,
    };
    assert_eq!(error(&[], vec![inst(None, body(GangOp::Break(JumpId(0))))]), "");
    assert_eq!(error(&[], vec![inst(None, body(GangOp::Continue(JumpId(1))))]), message);
}

#[test]
fn calls_give_what_is_taken() {
    let call = |args: Vec<GangReg>| inst(Some(1), GangOp::Call(CallTarget::Known(0), args));
    assert_eq!(error(&[varying()], vec![call(vec![GangReg(0)]), returned(1)]), "");
    assert_eq!(error(&[varying()], vec![call(Vec::new())]), "`f` is called with 0 numbers for 1");
    let nobody = inst(None, GangOp::Call(CallTarget::Known(7), Vec::new()));
    assert_eq!(error(&[], vec![nobody]), "function 7 is called, and there is none");
}

#[test]
fn lanes_that_are_off_take_no_part() {
    // The sum of the lanes that run, for odd masks.
    let body = vec![
        inst(Some(1), GangOp::Reduce(LaneJoin::Add, GangReg(0))),
        inst(Some(2), GangOp::Spread(GangReg(1))),
        returned(2),
    ];
    let module = module(&[uniform(), varying()], body);
    assert_eq!(verify(&module), []);
    let mut machine = GangMachine::new(&module, MachineLimits { fuel: 1000 }).expect("a start");
    let given = machine.run_in(0, &[vec![1, 20, 300, 4000]], 0b1010).expect("no fault");
    assert_eq!(given, [[0, 4020, 0, 4020]]);
}

#[test]
fn a_run_without_fuel_stops() {
    let body =
        vec![inst(None, GangOp::Loop { id: JumpId(0), test: None, body: Vec::new(), step: Vec::new(), again: None })];
    let module = module(&[], body);
    let mut machine = GangMachine::new(&module, MachineLimits { fuel: 1000 }).expect("a start");
    let fault = machine.run(0, &[vec![0; 4]]).expect_err("it never ends");
    assert_eq!(fault.message, ispc_ir::machine::OUT_OF_FUEL);
}
