import { expect, test } from 'vitest'
import { problem } from '../../../src/contract/problems.ts'
import { createRefusalLog, isOverload } from '../../../src/server/http/refusal_log.ts'
import { captureLog } from '../../support/log.ts'

const busy = problem('render/busy', 'Too many images are waiting to be rendered.')
const tile = { method: 'GET', template: '/api/component/render/tile', fault: busy }

test('a server under load logs a refusal for each code, operation and second, and counts the others', () => {
  const { log, written } = captureLog()
  let nowMs = 10_400
  const refuse = createRefusalLog(log, () => nowMs)
  for (let at = 0; at < 1000; at += 1) refuse({ ...tile, id: `tile-${at}` })
  refuse({ ...tile, id: 'image', template: '/api/component/render/image' })
  refuse({ ...tile, id: 'database', fault: problem('database/busy', 'all connections are in use') })
  nowMs = 11_000
  refuse({ ...tile, id: 'later' })
  const lines = written.map((line) => JSON.parse(line))
  expect(lines.map(({ request_id, suppressed }) => [request_id, suppressed])).toEqual([
    ['tile-0', 0],
    ['image', 0],
    ['database', 0],
    ['later', 999],
  ])
  expect(lines[0]).toEqual({
    level: 'warn',
    time: expect.any(String),
    message: 'request refused',
    request_id: 'tile-0',
    method: 'GET',
    path: '/api/component/render/tile',
    code: 'render/busy',
    reason: 'Too many images are waiting to be rendered.',
    suppressed: 0,
  })
})

test('faults of the server and of its users are no refusals under load', () => {
  const codes = [
    'render/failed',
    'render/timeout',
    'database/unavailable',
    'server/internal',
    'access/denied',
  ] as const
  expect(codes.filter((code) => isOverload(problem(code, 'x')))).toEqual([])
  expect(isOverload(busy)).toBe(true)
})
