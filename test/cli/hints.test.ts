import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import type { CommandSpec } from '../../src/cli/command.ts'
import { loadCommands } from '../../src/cli/commands/table.ts'

const source = fileURLToPath(new URL('../../src', import.meta.url))

/** Commands that print the hints of a folder. */
const printers = [
  ['reconcile/plan', ['plan', 'apply']],
  ['reconcile/apply', ['apply']],
  ['manifest', ['plan', 'apply']],
] as const

async function optionsOf(name: string): Promise<string[]> {
  const spec = (await loadCommands([])).find((one) => one.name === name) as CommandSpec
  return spec.declare(new Command(name)).options.map(({ long }) => long ?? '')
}

/** Options that the strings of a folder name. */
function listNamed(folder: string): Set<string> {
  const files = readdirSync(`${source}/${folder}`, { recursive: true, encoding: 'utf8' })
  const code = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${source}/${folder}/${file}`, 'utf8'))
  return new Set(code.flatMap((text) => text.match(/(?<=[ "'`(])--[a-z][a-z-]+/g) ?? []))
}

test.each(printers)('the options in the hints of %s are options of %j', async (folder, commands) => {
  const named = listNamed(folder)
  expect(named.size).toBeGreaterThan(0)
  for (const command of commands)
    expect(await optionsOf(command), command).toEqual(expect.arrayContaining([...named]))
})
