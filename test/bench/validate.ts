/** Validates a manifest of ten thousand resources in five hundred files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './support/program.ts'
import { report } from './support/report.ts'
import { writePart } from './support/tree.ts'

/** Figures are the best of so many runs. */
const rounds = 3

const fileCount = 500
const limits = { cpuSeconds: 1.2 } as const

const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))
const manifests = join(folder, 'manifests')
try {
  mkdirSync(manifests)
  for (let at = 0; at < fileCount; at += 1)
    writeFileSync(join(manifests, `part${at}.yaml`), writePart('many', `part${at}`))
  const runs = []
  for (let round = 0; round < rounds; round += 1) {
    const ran = await runProgram({}, 'validate', manifests)
    if (!ran.out.includes('10,001 resources')) throw new Error(ran.out.slice(-500))
    runs.push(ran)
  }
  const cpuSeconds = Math.min(...runs.map((ran) => ran.cpuSeconds))
  const peakBytes = Math.min(...runs.map((ran) => ran.peakBytes))
  report({
    name: `validate 10,000 resources in ${fileCount} files, CPU`,
    value: `${cpuSeconds.toFixed(2)} s, ${(peakBytes / 1e6).toFixed(0)} MB`,
    promised: `< ${limits.cpuSeconds} s`,
    isKept: cpuSeconds < limits.cpuSeconds,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
