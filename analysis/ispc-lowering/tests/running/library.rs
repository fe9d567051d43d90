//! Functions of the library.

use expect_test::expect;

use super::check;

#[test]
fn lanes_together() {
    check(
        r#"void f() {
            int x = programIndex * 3 + 1;
            print("% % % %\n", reduce_add(x), reduce_min(x), reduce_max(x), any(x > 9));
            if (programIndex != 1) {
                print("% % %\n", reduce_add(x), exclusive_scan_add(x), lanemask());
                print("% % %\n", popcnt(x > 4), all(x != 4), packmask(x > 4));
            }
            print("% % %\n", broadcast(x, 2), rotate(x, 1), rotate(x, -1));
            print("% % %\n", shift(x, 1), shuffle(x, 3 - programIndex), shuffle(x, x + 1, programIndex * 2));
            print("% %\n", extract(x, 3), insert(x, 1, 50));
            uniform int same;
            print("% % %\n", reduce_equal(x), reduce_equal(x - x + 6, &same), same);
        }"#,
        expect![[r#"
            22 1 10 true
            18 [0,((0)),1,8] 13
            2 true 12
            [7,7,7,7] [4,7,10,1] [10,1,4,7]
            [4,7,10,0] [10,7,4,1] [1,7,2,8]
            10 [1,50,7,10]
            false true 6
        "#]],
    );
}

#[test]
fn numbers() {
    check(
        r#"void f() {
            print("% % % %\n", min(1, 2), max(1.5f, 0.5f), clamp(7, 0, 5), abs(-3));
            print("% % % %\n", floor(-1.5f), ceil(1.2f), round(2.5f), trunc(-1.7f));
            print("% % %\n", sqrt(2.0d), pow(2.0f, 10.0f), rcp(4.0f));
            print("% % %\n", count_leading_zeros(1), count_trailing_zeros(8), popcnt(255));
            print("% % %\n", intbits(1.0f), floatbits(0x40000000u), isnan(0.0f / 0.0f));
            print("% % %\n", saturating_add((int8)100, (int8)100), saturating_sub((uint8)3, (uint8)5), half_to_float(0x3c00));
            uniform float s, c; sincos(0.0f, &s, &c);
            uniform int e; uniform float m = frexp(12.0f, &e);
            print("% % % % %\n", s, c, m, e, ldexp(0.75f, 4));
            print("%\n", erf(0.5d));
        }"#,
        expect![[r#"
            1 1.500000 5 3
            -2.000000 2.000000 2.000000 -1.000000
            1.414214 1024.000000 0.250000
            31 3 8
            1065353216 2.000000 true
            127 0 1.000000
            0.000000 1.000000 0.750000 4 12.000000
            0.520500
        "#]],
    );
}

#[test]
fn memory() {
    check(
        r#"void f() {
            uniform int cells[8];
            memset(cells, 0, 8 * sizeof(uniform int));
            int x = programIndex + 1;
            uniform int n = 0;
            if (programIndex != 2) { n = packed_store_active(cells, x); }
            print("% % % % %\n", n, cells[0], cells[1], cells[2], cells[3]);
            int y = -1;
            if (programIndex > 1) { packed_load_active(cells, &y); }
            print("%\n", y);
            uniform float aos[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
            float a, b;
            aos_to_soa2(aos, &a, &b);
            print("% %\n", a, b);
            uniform float to[8];
            soa_to_aos2(b, a, to);
            print("% %\n", to[0], to[7]);
        }"#,
        expect![[r#"
            3 1 2 4 0
            [-1,-1,1,2]
            [0.000000,2.000000,4.000000,6.000000] [1.000000,3.000000,5.000000,7.000000]
            1.000000 6.000000
        "#]],
    );
}

#[test]
fn atomics() {
    check(
        r#"void f() {
            uniform int cell = 10;
            int before = atomic_add_global(&cell, programIndex);
            print("% %\n", before, cell);
            uniform int old = atomic_swap_global(&cell, 5);
            print("% %\n", old, cell);
            int won = atomic_compare_exchange_global(&cell, 5, 100 + programIndex);
            print("% %\n", won, cell);
            uniform int cells[2] = { 0, 0 };
            atomic_add_local(&cells[programIndex & 1], programIndex);
            print("% %\n", cells[0], cells[1]);
        }"#,
        expect![[r#"
            [10,10,11,13] 16
            16 5
            [5,100,100,100] 100
            2 4
        "#]],
    );
}
