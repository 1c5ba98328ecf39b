import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDeclared } from '../../scripts/docs/commands.ts'
import { projects } from '../support/projects.ts'
import { readTexts } from '../support/source/tracked.ts'

const documents = readTexts().filter(({ path }) => path.endsWith('.md'))
const handWritten = documents.filter(({ path }) => !path.startsWith('docs/reference/'))
const declared = await loadDeclared()

test('the README is short', () => {
  const readme = documents.find(({ path }) => path === 'README.md')?.text ?? ''
  expect(readme.split('\n').length).toBeLessThan(200)
})

test.each(documents)('$path links to files that exist', ({ path, text }) => {
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, target]) => target ?? '',
  )
  expect(targets.filter((target) => !existsSync(join(dirname(path), target)))).toEqual([])
})

test.each(handWritten)('$path shows commands and options that exist', ({ text }) => {
  expect(listCommands(text).flatMap(findFaults)).toEqual([])
})

describe('findFaults', () => {
  test.each(['landform plan --exit-code', 'A=b landform data import roads.shp --into x | cat'])(
    'accepts %s',
    (line) => {
      expect(findFaults(line)).toEqual([])
    },
  )

  test.each(['landform deploy', 'landform data load', 'landform plan --fast', 'landform serve --once'])(
    'refuses %s',
    (line) => {
      expect(findFaults(line)).toHaveLength(1)
    },
  )
})

/** Lists the lines of shell blocks that call the program. */
function listCommands(markdown: string): string[] {
  return [...markdown.matchAll(/^```(?:sh|console).*?\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => /^(?:\$ )?(?:[A-Z_]+=\S* )*landform /.test(line))
}

/** Finds unknown commands and options of a line that calls the program once. */
function findFaults(line: string): string[] {
  const call = /landform (.*?)(?=\s+#|\s*[|>&;]|$)/.exec(line)?.[1] ?? ''
  const found = declared.find(({ name }) => `${call} `.startsWith(`${name} `))
  if (found === undefined) return [`unknown command: ${line}`]
  const known = found.command.options.flatMap(({ long, short }) => [long, short])
  const used = call.match(/(?<=\s)--?[a-z][\w-]*/g) ?? []
  return used.filter((option) => !known.includes(option)).map((option) => `unknown option ${option}: ${line}`)
}

test('CONTRIBUTING.md names npm scripts, projects and files that exist', () => {
  const text = documents.find(({ path }) => path === 'CONTRIBUTING.md')?.text ?? ''
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const called = [...text.matchAll(/npm (?:run (?:-s )?)?(test(?![\w.:/-])|(?<=run (?:-s )?)[\w:]+)/g)].map(
    ([, name]) => name ?? '',
  )
  expect(called.length).toBeGreaterThan(10)
  expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  const rows = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(projects)
  const paths = [...text.matchAll(/\btest\/[\w./]+/g)].map(([path]) => path.replace(/\.$/, ''))
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})

describe('ARCHITECTURE.md', () => {
  const text = documents.find(({ path }) => path === 'ARCHITECTURE.md')?.text ?? ''

  test('names files and folders that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|docs)\/[^`\s]*)`/g)].map(([, path]) => path ?? '')
    expect(named.length).toBeGreaterThan(80)
    // Of `src/contract/classes/<class>.ts`, the folder.
    const exists = (path: string) => existsSync(path.replace(/<.*/, ''))
    expect(named.filter((path) => !exists(path))).toEqual([])
  })

  test('describes every folder of src', () => {
    const described = [...text.matchAll(/^\| `src\/(\w+)(?:\/|\.ts)` \|/gm)].map(([, name]) => name)
    const folders = readdirSync('src').map((name) => name.replace(/\.ts$/, ''))
    expect(described.sort()).toEqual(folders.sort())
  })
})

test('the glossary has only words that the source declares', () => {
  const readme = documents.find(({ path }) => path === 'README.md')?.text ?? ''
  const [, table = ''] = /^## Glossary\n\n((?:\|.*\n)+)/m.exec(readme) ?? []
  const terms = [...table.matchAll(/^\| ([A-Z]\w+) \|/gm)]
    .map(([, term]) => term ?? '')
    .filter((term) => term !== 'Term')
  expect(terms.length).toBeGreaterThan(10)
  const source = readTexts().filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))
  const isDeclared = (term: string) =>
    source.some(({ text }) => new RegExp(`export (?:interface|type|class) ${term}\\w*\\b`).test(text))
  expect(terms.filter((term) => !isDeclared(term))).toEqual([])
})
