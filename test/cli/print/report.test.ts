import { describe, expect, it } from 'vitest'
import { formatReport } from '../../../src/cli/print/report.ts'
import { painter } from '../../../src/cli/print/text_format.ts'
import type { Action } from '../../../src/contract/bodies/journal.ts'
import { problem } from '../../../src/contract/problems.ts'
import type { Outcome, Report } from '../../../src/reconcile/apply/outcome.ts'
import type { Change } from '../../../src/reconcile/model/change.ts'

const change = (key: string, action: Action = 'create'): Change => ({
  action,
  key,
  cls: 'resource_group',
  displayName: key,
  path: [],
  edits: [],
  body: {},
})
const how = { paint: painter(false), resume: 'landform apply', tookMs: 1234 }
const linesOf = (report: Partial<Report>) =>
  formatReport({ outcomes: [], interrupted: false, atomic: true, ...report }, how).split('\n')

const denied = problem('access/denied', 'Not you.', { hint: 'Ask.', detail: 'one\ntwo' })
const failed = { change: change('a'), outcome: 'failed', problem: denied } as const
const skipped = { change: change('b'), outcome: 'skipped', because: 'a' } as const

describe('the report of an apply', () => {
  it('counts changes by outcome', () => {
    const outcomes = [
      { change: change('a'), outcome: 'created' },
      { change: change('b', 'update'), outcome: 'updated' },
      { change: change('c'), outcome: 'created' },
    ] as const
    expect(linesOf({ outcomes })).toEqual(['Done in 1.2 s: 2 created, 1 updated.'])
  })

  it('does not list what was not tried because the server cannot be reached', () => {
    const lost = problem('http/unreachable', 'Gone.', { data: { sent: false } })
    const outcomes = [{ ...failed, problem: lost }, skipped, { ...skipped, change: change('c') }]
    expect(linesOf({ outcomes, atomic: false })).toEqual([
      'Done in 1.2 s: nothing.',
      'Failed: 1',
      '  a (resource_group): http/unreachable: Gone.',
      expect.stringContaining('hint: '),
      'Not tried: 2, because the server cannot be reached.',
      'To resume: landform apply',
    ])
  })

  it('tells where in the manifest the value is that the server refused', () => {
    const refused = problem('request/invalid', 'no.', {
      data: { location: ['body', '/resource/display_name'] },
    })
    const asked: string[] = []
    const spanOf = (pointer: string) => {
      asked.push(pointer)
      return { file: 'm.yaml', line: 3, column: 7, endLine: 3, endColumn: 9 }
    }
    const block = { key: 'a', existing: false, protect: false, members: {}, spanOf }
    const outcomes = [{ change: change('a'), outcome: 'failed', problem: refused }] as const
    const manifest = { resources: new Map([['a', block]]) }
    const report = { outcomes, interrupted: false, atomic: true }
    expect(
      formatReport(report, { ...how, manifest })
        .split('\n')
        .slice(1, 4),
    ).toEqual(['Failed: 1', '  a (resource_group): request/invalid: no.', '      at m.yaml:3:7'])
    expect(asked).toEqual(['/display_name'])
  })

  it('lists what the server does not draw of a style, without what the plan said', () => {
    const issue = { code: 'style/unknown', line: 2, column: 5 }
    const styleIssues = [
      { ...issue, message: 'symbol layer ArrowLine is not drawn' },
      { ...issue, message: 'the layer has no field "age"; its value is null', hint: 'add the field' },
    ]
    const outcomes = [{ change: change('a'), outcome: 'created', styleIssues }] as const
    const known = [
      {
        code: 'style/unknown',
        severity: 'warning',
        message: 'a.desk_vector_style.qml: symbol layer ArrowLine is not drawn',
      },
    ] as const
    const report = { outcomes, interrupted: false, atomic: true }
    expect(
      formatReport(report, { ...how, known })
        .split('\n')
        .slice(1),
    ).toEqual([
      '  a: not drawn as the style says:',
      '    line 2, column 5: the layer has no field "age"; its value is null; add the field',
    ])
  })

  it('reports the load of each file, including skipped features', () => {
    const report = { format: 'CSV', layer: 'a', other_count: 0, renamed: [], notes: [] }
    const bad = [4, 9, 12].map((number) => ({ number, reason: 'no geometry' }))
    const outcomes: Outcome[] = [
      {
        change: change('a'),
        outcome: 'created',
        report: { ...report, feature_count: 1, bad_count: 0, bad: [] },
      },
      {
        change: change('b', 'update'),
        outcome: 'updated',
        report: {
          ...report,
          feature_count: 1200,
          bad_count: 5,
          bad,
          other_count: 2,
          renamed: [{ from: 'id', to: 'id_1' }],
        },
      },
    ]
    expect(linesOf({ outcomes })).toEqual([
      'Done in 1.2 s: 1 created, 1 updated.',
      '  a: 1 feature loaded',
      '  b: 1,200 features loaded, 5 invalid skipped',
      '    feature 4: no geometry',
      '    feature 9: no geometry',
      '    feature 12: no geometry',
      '    and 2 more',
      '    The field "id" of the file was renamed to "id_1".',
      '    Features with other geometry types were skipped: 2.',
    ])
  })

  it('names the failed change of an atomic apply, and not the changes rolled back with it', () => {
    expect(linesOf({ outcomes: [failed, skipped] })).toEqual([
      'Nothing was changed.',
      'Failed: 1',
      '  a (resource_group): access/denied: Not you.',
      '      one',
      '      two',
      '      hint: Ask.',
      'To resume: landform apply',
    ])
  })

  it('names all changes that were not tried', () => {
    const done = { change: change('c'), outcome: 'created' } as const
    for (const atomic of [true, false])
      expect(linesOf({ outcomes: [failed, skipped, done], atomic })).toEqual([
        'Done in 1.2 s: 1 created.',
        'Failed: 1',
        '  a (resource_group): access/denied: Not you.',
        '      one',
        '      two',
        '      hint: Ask.',
        'Not tried: 1',
        '  b (resource_group), after a',
        'To resume: landform apply',
      ])
  })

  it('reports a failure that no single change has caused', () => {
    const outcomes = [{ change: change('a'), outcome: 'skipped' }] as const
    const fault = problem('http/unreachable', 'Nobody there.')
    expect(linesOf({ outcomes, problem: fault })).toEqual([
      'Nothing was changed.',
      'Failed',
      '  http/unreachable: Nobody there.',
      '      hint: Check the address, and that the server is running.',
      'To resume: landform apply',
    ])
  })

  it('does not claim that nothing was changed if the response was lost', () => {
    const outcomes = [{ change: change('a'), outcome: 'skipped' }] as const
    expect(linesOf({ outcomes, interrupted: true, uncertain: true })).toEqual([
      'The response of the server was lost: either all changes were made, or none.',
      'Interrupted.',
      'To resume: landform apply',
    ])
  })
})
