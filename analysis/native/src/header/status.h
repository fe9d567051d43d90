
#ifndef LANESCOPE_STATUS
#define LANESCOPE_STATUS
/* What kernels return that compare sizes before they do anything else. */
enum lanescope_status {
    /* There is too little memory: only functions that allocate say so. */
    LANESCOPE_NO_MEMORY = -1,
    /* The kernel has come to its end. */
    LANESCOPE_DONE = 0,
    /* Sizes that have to be equal differ, or there is no element where one is needed: the kernel has done nothing. */
    LANESCOPE_SIZES_DIFFER = 1
};
#endif
