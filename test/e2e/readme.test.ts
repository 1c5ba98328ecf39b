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

it('starts the example with the output that the README shows', async () => {
  // Separate data and a free port: the developer may have a server running.
  const env = {
    ...process.env,
    NO_COLOR: '1',
    LANDFORM_DATA: join(data, 'data'),
    LANDFORM_LISTEN: '127.0.0.1:0',
  }
  const commands = parseStory(readme).flatMap((block) =>
    block.kind === 'command' && block.command.startsWith('npm ') ? [block] : [],
  )
  expect(commands.map(({ command }) => command)).toEqual(['npm start -- --once'])
  for (const { command, expected, exit, line } of commands) {
    const result = await runStoryCommand({ folder: root, env }, command)
    const context = `README.md:${line} $ ${command}\n${result.output}`
    expect(matchesStory(result.output, expected) ? '' : result.output, context).toBe('')
    expect(result.exit, context).toBe(exit)
  }
}, 300_000)
