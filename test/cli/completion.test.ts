import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runCommand } from './terminal.ts'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Completes the last word in a real shell. */
async function complete(...words: string[]): Promise<string[]> {
  const { out: script } = await runCommand(['completion', 'bash'], { cwd: '.' })
  const lines = [
    script,
    'landform() { "$NODE" "$MAIN" "$@"; }',
    'COMP_WORDS=(landform "$@"); COMP_CWORD=$#; _landform; printf "%s\\n" "${COMPREPLY[@]}"',
  ]
  const env = { ...process.env, NODE: process.execPath, MAIN: main }
  const { stdout } = await run('bash', ['-c', lines.join('\n'), 'bash', ...words], { env })
  return stdout.split('\n').filter((line) => line !== '')
}

test.each<[words: string[], found: string[]]>([
  [['pl'], ['plan']],
  [
    ['plan', '--forb'],
    ['--forbid-gain', '--forbid-public-gain'],
  ],
  [['user', 'set'], ['set-password']],
  [
    ['catalog', 'search', '--type', ''],
    ['tms', 'wms', 'wfs', 'geojson'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
])('completes %j', async (words, found) => {
  expect((await complete(...words)).sort()).toEqual(found.sort())
})

test('leaves file names to the shell: of manifests, and after options that take a value', async () => {
  expect(await complete('plan', 'manif')).toEqual([])
  expect(await complete('plan', '--out', '--')).toEqual([])
})

test('never runs what is written on the command line', async () => {
  expect(await complete('plan', '$(echo --json)')).toEqual([])
})

test('refuses other shells, and prints scripts for zsh and fish', async () => {
  expect(await runCommand(['completion', 'nosh'], { cwd: '.' })).toMatchObject({ exit: 3, out: '' })
  for (const [shell, word] of [
    ['zsh', 'compdef'],
    ['fish', 'complete -c landform'],
  ])
    expect((await runCommand(['completion', shell ?? ''], { cwd: '.' })).out).toContain(word)
})
