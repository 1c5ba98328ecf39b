import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runStoryCommand } from '../support/story.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))

it('ends quietly when the reader of its output has read enough', async () => {
  const program = `'${process.execPath}' src/cli/main.ts`
  const { output } = await runStoryCommand(
    { folder, env: process.env },
    `${program} schema manifest | head -n 1`,
  )
  expect(output).toBe('{\n')
})
