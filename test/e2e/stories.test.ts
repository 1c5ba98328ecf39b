import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import {
  matchesStory,
  parseStory,
  runStoryCommand,
  type StoryContext,
  writeStoryFile,
} from '../support/story.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const guides = (await readdir(join(root, 'docs'))).filter((file) => file.endsWith('.md')).sort()
const stories = ['README.md', ...guides.map((file) => join('docs', file))]

describe.each(stories)('%s', (story) => {
  let server: TestServer
  let context: StoryContext
  beforeAll(async () => {
    server = await startTestServer(oneDriver[0] ?? 'postgres')
    context = await createContext(server.url)
  })
  afterAll(async () => {
    await server?.stop()
    await rm(context.folder, { recursive: true, force: true })
  })

  it('prints the output shown', async () => {
    for (const block of parseStory(await readFile(join(root, story), 'utf8'))) {
      if (block.kind === 'file') {
        await writeStoryFile(context, block.path, block.text)
        continue
      }
      // Commands of the checkout: readme.test.ts runs them.
      if (block.command.startsWith('npm ')) continue
      const { output, exit } = await runStoryCommand(context, block.command)
      const location = `${story}:${block.line} $ ${block.command}\n${output}`
      expect(matchesStory(output, block.expected) ? block.expected.join('\n') : output, location).toBe(
        block.expected.join('\n'),
      )
      expect(exit, location).toBe(block.exit)
    }
  })
})

/** Creates an empty folder and an environment in which `landform` runs this checkout against the server. */
async function createContext(url: string): Promise<StoryContext> {
  const contextFolder = await mkdtemp(join(tmpdir(), 'landform-story-'))
  const bin = join(contextFolder, '.bin')
  await writeStoryFile(
    { folder: contextFolder, env: {} },
    '.bin/landform',
    `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
  )
  await chmod(join(bin, 'landform'), 0o755)
  const { PATH, HOME } = process.env
  return {
    folder: contextFolder,
    env: {
      HOME,
      PATH: `${bin}${delimiter}${PATH}`,
      NO_COLOR: '1',
      LANDFORM_SERVER: url,
      LANDFORM_PASSWORD: adminPassword,
    },
  }
}
