/**
 * Runs every bench beside it, each in a process of its own, and prints all figures as one table.
 * `npm run bench` runs all; `npm run bench -- import tiles` only those.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findFigures, formatFigures } from './support/report.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const all = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'main.ts')
const wanted = process.argv.slice(2)
const benches = all
  .filter((file) => wanted.length === 0 || wanted.includes(file.slice(0, -'.ts'.length)))
  .sort()

/** Runs one bench; what it prints goes to stderr as it comes. */
function run(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${folder}${file}`], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
      process.stderr.write(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${file} ended with code ${code}`)),
    )
  })
}

const figures = []
const failed = []
for (const file of benches) {
  process.stderr.write(`\n${file}\n`)
  try {
    figures.push(...findFigures(await run(file)))
  } catch (error) {
    failed.push(String(error))
  }
}
console.log(`\n${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n`)
console.log(formatFigures(figures))
for (const message of failed) console.log(message)
process.exitCode = failed.length > 0 ? 1 : 0
