import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { writePlanEvents } from '../../../src/cli/print/events.ts'
import { planEventSchema } from '../../../src/cli/print/plan_schema.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { planOf } from '../../reconcile/support/literals.ts'

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(planEventSchema())

async function eventsOf(plan: Plan): Promise<{ readonly type: string }[]> {
  const out = new PassThrough()
  writePlanEvents(out, plan)
  out.end()
  return (await text(out))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const base = planOf({
  blocks: { a: {}, b: { displayName: 'New', permissions: { owns: 'all', rules: [] } } },
  rows: [
    { id: 2, key: 'b', name: 'Old' },
    { id: 3, key: 'gone' },
  ],
  options: { prune: true },
})
const span = { file: 'a.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 }
const data = { path: '/a', source: 'a', options: {}, sizeBytes: 1, version: 2, reason: 'requested' } as const
const referrer = { key: 'm', cls: 'webmap', path: ['Main'], loses: ['Roads'], refuses: false }
const change = base.changes[0] as Plan['changes'][number]
const plan: Plan = {
  ...base,
  issues: [
    ...base.issues,
    { code: 'a/b', severity: 'warning', message: 'text', span, pointer: '/a', hint: 'Do.' },
  ],
  unknown: [{ key: 'u', cls: 'webmap', path: ['Main'], reason: 'hidden' }],
  access: {
    complete: true,
    users: false,
    changes: [
      {
        change: 'gain',
        principals: ['user:guest'],
        permissions: ['data.read'],
        on: 'new',
        resources: [{ key: 'a', cls: 'webmap', displayName: 'A' }],
        causes: [span],
        implied: false,
      },
    ],
    blocked: [
      {
        principal: 'user:guest',
        resources: [{ key: 'a', cls: 'webmap', displayName: 'A' }],
        unreadable: { key: 'root', cls: 'resource_group', displayName: 'Main' },
        causes: [span],
      },
    ],
  },
  changes: [
    ...base.changes,
    {
      ...change,
      adopts: true,
      data: {
        ...data,
        before: null,
        edited: { changes: undefined },
        change: { before: 1, after: 0, lostFields: [], lostAttachments: 0, lostDescriptions: 0 },
      },
      takes: {
        resources: 1,
        below: [{ id: 9, key: '#9', cls: 'vector_layer', display_name: 'L', features: 2, bytes: 3 }],
        ...{ attachments: 4, bytes: 5, changed: { key: 'x', at: '2024-01-01T00:00:00', by: null } },
        unmanaged: ['x'],
        features: undefined,
        referrers: [{ id: 7, ...referrer }, referrer],
      },
      edits: [
        { pointer: '/a', from: 1, loses: 'deletes 2 values', lostValues: 2, replaces: 'it cannot change' },
        { pointer: '/b', from: [], to: ['G'], moves: true },
        { pointer: '/c', secret: true },
      ],
    },
  ],
}

it('describes all events of a plan', async () => {
  const events = await eventsOf(plan)
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([
    'access',
    'blocked_rules',
    'change',
    'issue',
    'plan',
    'summary',
    'unknown',
  ])
  for (const event of events) {
    expect(validate(event), JSON.stringify([event, validate.errors])).toBe(true)
  }
})

it('describes no other members and versions', async () => {
  for (const event of await eventsOf(plan)) {
    expect(validate({ ...event, more: 1 })).toBe(false)
    expect(validate({ ...event, v: 2 })).toBe(false)
  }
})
