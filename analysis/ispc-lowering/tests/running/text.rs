//! Programs as text.

use expect_test::expect;

use super::lowered;

#[test]
fn a_function_as_blocks_of_lanes() {
    let lowered = lowered(
        "export void scale(uniform float a[], uniform int n, uniform float by) {\n    foreach (i = 0 ... n) {\n        if (a[i] > 0) { a[i] *= by; }\n    }\n}\n",
        8,
    );
    expect![[r#"
        lanes 8

        function scale(%0: uniform pointer, %1: uniform int32, %2: uniform float) {
          local $0 `a`: 8 bytes
          local $1 `n`: 4 bytes
          local $2 `by`: 4 bytes
          local $3 the counter of `foreach`: 4 bytes
          local $4 the variable of `foreach`: 32 bytes
          %3: uniform pointer = address of $0
          %4: uniform pointer = address of $1
          %5: uniform pointer = address of $2
          %8: uniform pointer = address of $3
          %11: uniform pointer = address of $4
          store [%3], %0
          store [%4], %1
          store [%5], %2
          %6: uniform int32 = 0
          %7: uniform int32 = load [%4]
          all lanes {
            store [%8], %6
            loop #0 {
              %9: uniform int32 = load [%8]
              %10: uniform bool = less %9, %7
              while %10
              %12: varying int32 = spread %9
              %13: varying int32 = lane index
              %14: varying int32 = add %12, %13
              %15: varying int32 = spread %7
              %16: varying bool = less %14, %15
              store [%11], %14
              if %16 {
                %17: uniform pointer = load [%3]
                %18: varying int32 = load [%11]
                %19: varying int64 = convert %18
                %20: varying pointer = convert %19
                %21: uniform pointer = 4
                %22: varying pointer = spread %21
                %23: varying pointer = mul %20, %22
                %24: varying pointer = spread %17
                %25: varying pointer = add %24, %23
                %26: varying float = load [%25]
                %27: uniform int32 = 0
                %28: uniform float = convert %27
                %29: varying float = spread %28
                %30: varying bool = greater %26, %29
                if %30 {
                  %31: uniform float = load [%5]
                  %32: uniform pointer = load [%3]
                  %33: varying int32 = load [%11]
                  %34: varying int64 = convert %33
                  %35: varying pointer = convert %34
                  %36: uniform pointer = 4
                  %37: varying pointer = spread %36
                  %38: varying pointer = mul %35, %37
                  %39: varying pointer = spread %32
                  %40: varying pointer = add %39, %38
                  %41: varying float = load [%40]
                  %42: varying float = spread %31
                  %43: varying float = mul %41, %42
                  store [%40], %43
                }
              }
              step {
                %44: uniform int32 = 8
                %45: uniform int32 = add %9, %44
                store [%8], %45
              }
            }
          }
        }
    "#]]
    .assert_eq(&ispc_ir::print::print(&lowered.module));
}

#[test]
fn calls_loops_and_switches() {
    let lowered = lowered(
        "uniform int count = 1;\nint twice(int x) { return x + x; }\nvoid f(int x) {\n    while (x < 3) { x = twice(x) + count; }\n    switch (x) { case 1: case 2: print(\"%\\n\", x); break; default: assert(x > 3); }\n    do { x--; } while (x > 0);\n}\n",
        4,
    );
    expect![[r#"
        lanes 4
        global @0 `count`: 4 bytes

        function twice(%0: varying int32) -> varying int32 {
          local $0 `x`: 16 bytes
          %1: uniform pointer = address of $0
          store [%1], %0
          %2: varying int32 = load [%1]
          %3: varying int32 = load [%1]
          %4: varying int32 = add %2, %3
          return %4
        }

        function f(%0: varying int32) {
          local $0 `x`: 16 bytes
          %1: uniform pointer = address of $0
          store [%1], %0
          loop #0 {
            %2: varying int32 = load [%1]
            %3: uniform int32 = 3
            %4: varying int32 = spread %3
            %5: varying bool = less %2, %4
            while %5
            %6: varying int32 = load [%1]
            %7: varying int32 = call twice(%6)
            %8: uniform pointer = address of @0
            %9: uniform int32 = load [%8]
            %10: varying int32 = spread %9
            %11: varying int32 = add %7, %10
            store [%1], %11
          }
          %12: varying int32 = load [%1]
          switch #1 %12 {
          1, 2:
            %13: varying int32 = load [%1]
            print %13, "\n"
            break #1
          default:
            %14: varying int32 = load [%1]
            %15: uniform int32 = 3
            %16: varying int32 = spread %15
            %17: varying bool = greater %14, %16
            assert %17 "x > 3"
          }
          loop #2 {
            %18: varying int32 = load [%1]
            %19: uniform int8 = 1
            %20: uniform int32 = convert %19
            %21: varying int32 = spread %20
            %22: varying int32 = sub %18, %21
            store [%1], %22
            step {
              %23: varying int32 = load [%1]
              %24: uniform int32 = 0
              %25: varying int32 = spread %24
              %26: varying bool = greater %23, %25
            }
            while %26
          }
        }

        function first value of `count`() {
          %0: uniform pointer = address of @0
          %1: uniform int32 = 1
          store [%0], %1
        }

        function first values of globals() {
          call first value of `count`()
        }
    "#]]
    .assert_eq(&ispc_ir::print::print(&lowered.module));
}
