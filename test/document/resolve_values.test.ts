import { describe, expect, it } from 'vitest'
import { parseYaml } from '../../src/document/parse_yaml.ts'
import { coerceString, resolveValues } from '../../src/document/resolve_values.ts'

const env = { NAME: 'Norway', EMPTY: '', COUNT: '5', toString: 'odd' }

function resolve(text: string) {
  const [document] = parseYaml('f', text).documents
  if (document === undefined) throw new Error('no document')
  return resolveValues(document, env)
}

const readText = (text: string) => (resolve(`a: ${text}\n`).value as { a: unknown }).a

describe('resolveValues', () => {
  it.each([
    ['${env.NAME}', 'Norway'],
    ['Map of ${env.NAME}, ${env.COUNT} parts', 'Map of Norway, 5 parts'],
    ['"${env.COUNT}"', '5'],
    ['${env.COUNT}', '5'],
    ['${env.EMPTY}', ''],
    ['${env.EMPTY:-full}', 'full'],
    ['${env.NOTHING:-}', ''],
    ['${env.NOTHING:-a b}', 'a b'],
    ['$${env.NAME}', '${env.NAME}'],
    ['$$${env.NAME}', '$${env.NAME}'],
    ['$NAME costs 5$ {a}', '$NAME costs 5$ {a}'],
    ["'it''s ${env.NAME}'", "it's Norway"],
  ])('reads %s as %s', (text, value) => {
    expect(readText(text)).toBe(value)
    expect(resolve(`a: ${text}\n`).issues).toEqual([])
  })

  it('does not expand keys or the values of variables', () => {
    expect(resolve('"${env.NAME}": 1\n').value).toEqual({ '${env.NAME}': 1 })
    const document = parseYaml('f', 'a: ${env.X}\n').documents[0]
    if (document === undefined) throw new Error('no document')
    expect(resolveValues(document, { X: '${env.Y}' }).value).toEqual({ a: '${env.Y}' })
  })

  it('does not read inherited properties as variables', () => {
    expect(resolve('a: ${env.constructor}\n').issues[0]?.code).toBe('value/unknown-variable')
  })

  it('includes the files it is given', () => {
    const [document] = parseYaml('f', 'a: ${file:x}\nb: "1 ${file:x}"\nc: ${file:y}\n').documents
    if (document === undefined) throw new Error('no document')
    const files = new Map([['x', { path: '/x', text: '${env.NAME}' }]])
    const { value, includedPaths, issues, expressions } = resolveValues(document, env, { files })
    expect(value).toEqual({ a: '${env.NAME}', b: '1 ${env.NAME}', c: '${file:y}' })
    expect([...includedPaths]).toEqual([
      ['/a', 'x'],
      ['/c', 'y'],
    ])
    expect([...expressions.keys()]).toEqual(['/a', '/b', '/c'])
    expect(issues.map(({ code, span }) => [code, span?.line])).toEqual([['value/bad-expression', 3]])
  })

  it('returns the source of each value that contains an expression', () => {
    const { expressions } = resolve('a: [1, "x ${env.NAME}"]\nb: $${env.NAME}\n')
    expect([...expressions]).toEqual([['/a/1', 'x ${env.NAME}']])
  })

  it('points at the faulty expression of several', () => {
    const { issues } = resolve('a: "${env.NAME} ${env.NOPE} ${env.NOPE}"\n')
    expect(issues.map(({ span }) => [span?.column, span?.endColumn])).toEqual([
      [17, 28],
      [29, 40],
    ])
  })

  it('never reports a value of the environment', () => {
    expect(JSON.stringify(resolve('a: ${env.NAM}\n').issues)).not.toContain('Norway')
  })
})

describe('coerceString', () => {
  it.each([
    ['5433', 5433],
    ['-1.5', -1.5],
    ['1e3', 1000],
    ['true', true],
    ['False', false],
    ['null', null],
    ['', undefined],
    ['yes', undefined],
    ['0x1F', undefined],
    ['9007199254740993', undefined],
    ['1e999', undefined],
    ['12 ', undefined],
  ])('reads %j as %j', (text, value) => {
    expect(coerceString(text)).toBe(value)
  })
})
