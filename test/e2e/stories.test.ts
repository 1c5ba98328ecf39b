import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { fitsStory, parseStory, runStoryCommand, type StoryPlace, writeStoryFile } from '../support/story.ts'

const folder = fileURLToPath(new URL('./stories', import.meta.url))
const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const stories = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()

describe.each(stories)('%s', (story) => {
  let server: TestServer
  let place: StoryPlace
  beforeAll(async () => {
    server = await startTestServer('pglite')
    place = await makePlace(server.url)
  })
  afterAll(async () => {
    await server?.stop()
    await rm(place.folder, { recursive: true, force: true })
  })

  it('comes out as it is told', async () => {
    for (const block of parseStory(await readFile(join(folder, story), 'utf8'))) {
      if (block.kind === 'file') {
        await writeStoryFile(place, block.path, block.text)
        continue
      }
      const { output, exit } = await runStoryCommand(place, block.command)
      const told = `${story}:${block.line} $ ${block.command}\n${output}`
      expect(fitsStory(output, block.expected) ? block.expected.join('\n') : output, told).toBe(
        block.expected.join('\n'),
      )
      expect(exit, told).toBe(block.exit)
    }
  })
})

/** An empty folder in which `landform` is this checkout's program and knows the server. */
async function makePlace(url: string): Promise<StoryPlace> {
  const place = await mkdtemp(join(tmpdir(), 'landform-story-'))
  const bin = join(place, '.bin')
  await writeStoryFile(
    { folder: place, env: {} },
    '.bin/landform',
    `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
  )
  await chmod(join(bin, 'landform'), 0o755)
  const { PATH, HOME } = process.env
  return {
    folder: place,
    env: {
      HOME,
      PATH: `${bin}${delimiter}${PATH}`,
      NO_COLOR: '1',
      LANDFORM_SERVER: url,
      LANDFORM_PASSWORD: adminPassword,
    },
  }
}
