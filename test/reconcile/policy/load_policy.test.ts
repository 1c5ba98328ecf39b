import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPolicy } from '../../../src/reconcile/policy/check_policy.ts'
import { loadPolicy } from '../../../src/reconcile/policy/load_policy.ts'
import { type Case, manifestOf, planOf } from '../support/literals.ts'

let cwd: string

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-policy-'))
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

async function load(text: string) {
  await writeFile(join(cwd, 'policy.yaml'), text)
  return loadPolicy('policy.yaml', cwd)
}

/** Issues as `line:column code message`. */
async function faultsOf(text: string): Promise<string[]> {
  const { issues } = await load(text)
  return issues.map(({ span, code, message }) => `${span?.line}:${span?.column} ${code} ${message}`)
}

const rule = (expression: string, more = '') =>
  `policy: city\nrules:\n  - name: one\n    message: It is wrong.\n${more}    expression: ${expression}\n`

/** Checks a plan against one rule: issues as `severity code message`. */
async function check(expression: string, one: Case, more = ''): Promise<string[]> {
  const { rules, issues } = await load(rule(expression, more))
  expect(issues).toEqual([])
  const plan = { ...planOf(one), access: { complete: true, users: true, changes: [], blocked: [] } }
  return checkPolicy(rules, { plan, manifest: manifestOf(one.blocks) }).map(
    ({ severity, code, message }) => `${severity} ${code} ${message}`,
  )
}

const rows = [{ id: 1, key: 'a', name: 'Old' }]
const change: Case = { blocks: { a: { displayName: 'New' } }, rows }
const each = '    each: change\n'

describe('faults of a policy', () => {
  test('in its structure have a position', async () => {
    expect(await faultsOf('')).toEqual(['1:1 policy/missing-field the file contains no policy'])
    expect(await faultsOf('rules: []\n')).toEqual([
      expect.stringMatching(/^1:1 policy\/missing-field .*"policy"/),
      expect.stringMatching(/^1:8 policy\/bad-value/),
    ])
    expect(await faultsOf(rule('plan.unchanged > 0', '    severty: warning\n'))).toEqual([
      expect.stringMatching(/^5:5 policy\/unknown-field .*severty/),
    ])
    expect(await faultsOf(rule('plan.unchanged > 0', '    severity: fatal\n'))).toEqual([
      expect.stringMatching(/^5:15 policy\/bad-value .*fatal/),
    ])
    expect(await faultsOf('policy: [\n')).toEqual([expect.stringMatching(/yaml\/syntax/)])
    expect(
      await faultsOf(`${rule('plan.unchanged > 0')}  - { name: one, message: x, expression: "true" }\n`),
    ).toEqual(['6:13 policy/bad-value another rule has the name "one"'])
  })

  test('in an expression have the position of the wrong word', async () => {
    expect(await faultsOf(rule('plan.chnges.size() < 3'))).toEqual([
      '5:22 policy/bad-expression one: no such key: chnges',
    ])
    expect(await faultsOf(rule('"plan.unchanged > \'a\'"'))).toEqual([
      expect.stringMatching(/^5:18 policy\/bad-expression one: no such overload/),
    ])
    expect(await faultsOf(rule('|\n      plan.unchanged > 1 &&\n        change.key != ""'))).toEqual([
      '7:9 policy/bad-expression one: unknown variable: change',
    ])
    expect(await faultsOf(rule('plan.changes.size() <'))).toEqual([
      expect.stringMatching(/^5:38 policy\/bad-expression one: unexpected token/),
    ])
    expect(await faultsOf(rule('plan.manifest'))).toEqual([
      '5:17 policy/bad-expression one: the result is a string, not true or false',
    ])
  })

  test('are reported for a second document, whose rules would not be checked', async () => {
    expect(await faultsOf(`${rule('plan.unchanged > 0')}---\n${rule('plan.unchanged > 0')}`)).toEqual([
      expect.stringMatching(/^7:1 policy\/bad-value a policy file has one document/),
    ])
  })

  test('are reported for a missing file', async () => {
    await expect(loadPolicy('none.yaml', cwd)).rejects.toMatchObject({ code: 'file/not-found' })
  })
})

describe('a rule', () => {
  test('is violated if its expression is false', async () => {
    expect(await check('plan.changes.size() == 1', change)).toEqual([])
    expect(await check('plan.changes.size() == 0', change)).toEqual([
      'error policy/violated one: It is wrong.',
    ])
    expect(await check('plan.changes.size() == 0', change, '    severity: warning\n')).toEqual([
      'warning policy/violated one: It is wrong.',
    ])
  })

  test('reads each change, its edits and its integers', async () => {
    const renamed = '!change.edits.exists(e, e.pointer == "/display_name" && e.from == "Old")'
    expect(await check(`'${renamed}'`, change, each)).toEqual([
      'error policy/violated one: It is wrong. (update a)',
    ])
    expect(await check('change.edits[0].to == "New" && change.id == 1', change, each)).toEqual([])
  })

  test('that fails is an error, even if it is a warning', async () => {
    const more = `${each}    severity: warning\n`
    expect(await check('change.takes.resources < 3', change, more)).toEqual([
      expect.stringMatching(/^error policy\/failed one: the expression cannot be evaluated \(update a\): /),
    ])
    expect(await check('dyn(change.id)', change, more)).toEqual([
      'error policy/failed one: the expression cannot be evaluated (update a): the result is not true or false',
    ])
  })

  test('about access is an error if access is not known', async () => {
    const { rules } = await load(rule('plan.access.size() == 0'))
    const plan = planOf(change)
    expect(checkPolicy(rules, { plan, manifest: manifestOf(change.blocks) })).toMatchObject([
      { code: 'policy/failed', severity: 'error', span: { line: 5 } },
    ])
  })
})
