import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { matchesStory, parseStory, runStoryCommand } from '../support/story.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')

let data = ''
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'landform-readme-'))
})
afterAll(() => rm(data, { recursive: true, force: true }))

it('runs the commands of the README with the output shown', async () => {
  // Separate data and a free port: the developer may have a server running.
  const env = {
    ...process.env,
    NO_COLOR: '1',
    LANDFORM_DATA: join(data, 'data'),
    LANDFORM_LISTEN: '127.0.0.1:0',
  }
  const commands = parseStory(readme).filter((block) => block.kind === 'command')
  expect(commands.map(({ command }) => command)).toContain('npm start -- --once')
  for (const { command, expected, exit, line } of commands) {
    const result = await runStoryCommand({ folder: root, env }, command)
    const context = `README.md:${line} $ ${command}\n${result.output}`
    expect(matchesStory(result.output, expected) ? '' : result.output, context).toBe('')
    expect(result.exit, context).toBe(exit)
  }
}, 300_000)

it('shows only data commands that a story runs', async () => {
  const story = parseStory(await readFile(join(root, 'test/e2e/stories/data.md'), 'utf8'))
  const run = story.flatMap((block) => (block.kind === 'command' ? [block.command] : []))
  const shown = [...readme.matchAll(/^landform data .*?(?=\s+#|$)/gm)].map(([command]) => command)
  expect(shown.length).toBeGreaterThan(3)
  expect(shown.filter((command) => !run.includes(command))).toEqual([])
})

it('refers only to commands and files that exist', async () => {
  const shown = await runStoryCommand(
    { folder: root, env: process.env },
    `'${process.execPath}' src/cli/main.ts --help`,
  )
  const named = [...readme.matchAll(/^\| `landform (\w+)/gm)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(5)
  for (const name of named) expect(shown.output).toMatch(new RegExp(`^  ${name} `, 'm'))
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path]) => path ?? '')
  for (const path of links) await expect(readFile(join(root, path)), path).resolves.toBeDefined()
})
