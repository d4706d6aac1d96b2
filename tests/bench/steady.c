/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine adds to figures is taken out of them while scripts/bench measures (LD_PRELOAD, see steady.py).

   Random numbers, by taking the place of C++'s std::random_device: Blender draws a number from it at each change of a node tree, and the C++ library executes CPUID before each: 0.1 us on bare
   metal, 20 us and more in a virtual machine. That would be in both sides of a ratio, but not as often.

   New memory: glibc gives blocks of over 32 MB back when they are freed, and gets new ones. A virtual machine whose host takes
   free memory back pays up to 2.1 us a KB for each of these, 10 times what it costs to write them. The process keeps what it had
   once, so that an array costs what is done to it. */

#include <malloc.h>

__attribute__((constructor)) static void keep_memory(void) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1); /* never */
    mallopt(M_TOP_PAD, 256 << 20);
}

static unsigned drawn;

void init(void *self, const void *token)
    __asm__("_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void fini(void *self) __asm__("_ZNSt13random_device7_M_finiEv");
unsigned draw(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");

void init(void *self, const void *token) { (void)self, (void)token; }
void fini(void *self) { (void)self; }
unsigned draw(void *self) {
    (void)self;
    return __atomic_add_fetch(&drawn, 1, __ATOMIC_RELAXED) * 2654435761u; /* all different for 2^32 draws */
}
