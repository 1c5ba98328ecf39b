import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPatch } from '../../src/core/line_diff.ts'

const numRuns = process.env.LANDFORM_SOAK ? 2000 : 50

describe('formatPatch', () => {
  it('is read by git apply', () => {
    const folder = mkdtempSync(join(tmpdir(), 'landform-patch-'))
    const line = fc.constantFrom('a', 'b', 'c', '', '  d: 1')
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join('\n')}\nend\n`)
    try {
      fc.assert(
        fc.property(text, text, (from, to) => {
          fc.pre(from !== to)
          writeFileSync(join(folder, 'f'), from)
          writeFileSync(join(folder, 'p'), `${formatPatch('f', from, to)}\n`)
          execFileSync('git', ['apply', '--unsafe-paths', 'p'], {
            cwd: folder,
            env: { ...process.env, GIT_DIR: folder },
          })
          expect(readFileSync(join(folder, 'f'), 'utf8')).toBe(to)
        }),
        { numRuns, seed: 20_240_603 },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
