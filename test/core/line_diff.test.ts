import { describe, expect, it } from 'vitest'
import { formatPatch } from '../../src/core/line_diff.ts'

describe('formatPatch', () => {
  it('is empty for equal texts', () => {
    expect(formatPatch('a', 'x\n', 'x\n')).toBe('')
  })

  it('shows the changes with three lines around them, and one hunk for each place', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
    const next = lines.with(1, 'two').toSpliced(15, 1)
    expect(formatPatch('a.yaml', `${lines.join('\n')}\n`, `${next.join('\n')}\n`)).toBe(`--- a/a.yaml
+++ b/a.yaml
@@ -1,5 +1,5 @@
 line 1
-line 2
+two
 line 3
 line 4
 line 5
@@ -13,7 +13,6 @@
 line 13
 line 14
 line 15
-line 16
 line 17
 line 18
 line 19`)
  })
})
