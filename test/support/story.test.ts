import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { matchesStory, parsePlain, parseStory, runStoryCommand, writeStoryFile } from './story.ts'

const story = `# A story

\`\`\`yaml a/b.yaml
x: 1
\`\`\`

Text, and a block that does not run:

\`\`\`sh
not run
\`\`\`

\`\`\`console exit=3
$ echo one
one
$ exit 3
\`\`\`
`

it('reads files, and commands with their output and exit codes', () => {
  expect(parseStory(story)).toEqual([
    { kind: 'file', path: 'a/b.yaml', text: 'x: 1\n', line: 4 },
    { kind: 'command', command: 'echo one', expected: ['one'], exit: 0, line: 14 },
    { kind: 'command', command: 'exit 3', expected: [], exit: 3, line: 16 },
  ])
})

it('refuses an unclosed fence', () => {
  expect(() => parseStory('```console\n$ ls\n')).toThrow('line 1: unclosed fence')
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
])('%j matches %j: %s', (output, expected, isMatch) => {
  expect(matchesStory(output, expected)).toBe(isMatch)
})

it.each([
  ['landform plan a.yaml', ['plan', 'a.yaml'], {}, undefined],
  ['A="b c" D_E=f=g landform plan "x y"', ['plan', 'x y'], { A: 'b c', D_E: 'f=g' }, undefined],
  ['landform plan || echo "exit $?"', ['plan'], {}, 'exit '],
])('runs %s without a shell', (command, words, env, echo) => {
  expect(parsePlain(command)).toEqual({ words, env, echo })
})

it.each([
  'landform plan > a',
  'A=$(cat a) landform plan',
  'landform plan "$A"',
  "landform plan 'a b'",
  'landform plan a"b c"',
  'landform plan || echo "exit $?" > a',
  'landform plan; ls',
  'echo a | landform plan',
])('runs %s in a shell', (command) => {
  expect(parsePlain(command)).toBeUndefined()
})

it('runs commands in the folder of its files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-story-'))
  const context = { folder, env: process.env }
  await writeStoryFile(context, 'a/b.yaml', 'x: 1\n')
  expect(await runStoryCommand(context, 'cat a/b.yaml; echo bad >&2; exit 3')).toEqual({
    output: 'x: 1\nbad\n',
    exit: 3,
  })
  expect(await readFile(join(folder, 'a/b.yaml'), 'utf8')).toBe('x: 1\n')
  await rm(folder, { recursive: true })
})
