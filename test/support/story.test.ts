import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fitsStory, parseStory, runStoryCommand, writeStoryFile } from './story.ts'

const story = `# A story

\`\`\`yaml a/b.yaml
x: 1
\`\`\`

Text, and a block that is only shown:

\`\`\`sh
not run
\`\`\`

\`\`\`console exit=3
$ echo one
one
$ exit 3
\`\`\`
`

it('reads files and commands with what they print and their exit codes', () => {
  expect(parseStory(story)).toEqual([
    { kind: 'file', path: 'a/b.yaml', text: 'x: 1\n', line: 4 },
    { kind: 'command', command: 'echo one', expected: ['one'], exit: 0, line: 14 },
    { kind: 'command', command: 'exit 3', expected: [], exit: 3, line: 16 },
  ])
})

it('refuses a fence that does not close', () => {
  expect(() => parseStory('```console\n$ ls\n')).toThrow('line 1: the fence does not close')
})

it.each([
  ['a\nb\n', ['a', 'b'], true],
  ['a\nb\n', ['a'], false],
  ['took 1.2 s\n', ['took … s'], true],
  ['a\nx\ny\nb\n', ['a', '…', 'b'], true],
  ['a\nb\n', ['a', '…', 'b'], true],
  ['a\n', ['…', 'b'], false],
  ['(x)\n', ['(x)'], true],
  ['', [], true],
])('%j fits %j: %s', (output, expected, fits) => {
  expect(fitsStory(output, expected)).toBe(fits)
})

it('runs commands beside the files it wrote', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-story-'))
  const place = { folder, env: process.env }
  await writeStoryFile(place, 'a/b.yaml', 'x: 1\n')
  expect(await runStoryCommand(place, 'cat a/b.yaml; echo bad >&2; exit 3')).toEqual({
    output: 'x: 1\nbad\n',
    exit: 3,
  })
  expect(await readFile(join(folder, 'a/b.yaml'), 'utf8')).toBe('x: 1\n')
  await rm(folder, { recursive: true })
})
