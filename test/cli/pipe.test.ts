import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runStoryCommand } from '../support/story.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))

it('exits without an error when the reader closes the pipe', async () => {
  const program = `'${process.execPath}' src/cli/main.ts`
  const { output } = await runStoryCommand(
    { folder, env: process.env },
    `${program} schema manifest | head -n 1`,
  )
  expect(output).toBe('{\n')
})

it('completes its work when the reader closes the pipe', async () => {
  const work = `
    const { openTerminal, writeLine } = await import('./src/cli/terminal.ts')
    const { out } = openTerminal()
    const gone = new Promise((resolve) => out.on('error', resolve))
    const writing = setInterval(() => writeLine(out, 'a line'), 1)
    await gone
    clearInterval(writing)
    setImmediate(() => console.error('the rest is done'))`
  const { output } = await runStoryCommand(
    { folder, env: { ...process.env, WORK: work } },
    `{ '${process.execPath}' --input-type=module --eval "$WORK" 2>&3 | head -n 1; } 3>&1`,
  )
  expect(output).toBe('a line\nthe rest is done\n')
})
