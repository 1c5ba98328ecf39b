import { expect, test } from 'vitest'
import { problem } from '../../src/contract/problems.ts'
import { toProblem } from '../../src/database/sqlstate.ts'

test.each([
  ['23505', 'database/constraint'],
  ['23503', 'database/constraint'],
  ['40001', 'database/conflict'],
  ['40P01', 'database/conflict'],
  ['57014', 'database/timeout'],
  ['25P03', 'database/timeout'],
  ['55P03', 'database/busy'],
  ['53300', 'database/busy'],
  ['53100', 'files/full'],
  ['54011', 'database/limit'],
  ['57P01', 'database/unavailable'],
  ['28P01', 'database/unavailable'],
  ['3D000', 'database/unavailable'],
  ['08006', 'database/unavailable'],
  ['08P01', 'database/query'],
  ['42601', 'database/query'],
])('SQLSTATE %s is %s', (code, expected) => {
  const cause = Object.assign(new Error('message of the database'), { code })
  expect(toProblem(cause)).toMatchObject({
    code: expected,
    message: 'message of the database',
    data: { sqlstate: code },
    cause,
  })
})

test.each([
  [Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })],
  [new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('and 127.0.0.1')])],
  [new Error('Connection terminated unexpectedly')],
])('maps a lost or refused connection to database/unavailable: %s', (cause) => {
  expect(toProblem(cause)).toMatchObject({ code: 'database/unavailable' })
})

test('maps a time-out of the pool to database/busy', () => {
  expect(toProblem(new Error('timeout exceeded when trying to connect'))).toMatchObject({
    code: 'database/busy',
  })
})

test('does not disclose the processes of a deadlock', () => {
  const cause = Object.assign(new Error('deadlock detected'), { code: '40P01', detail: 'Process 1 waits' })
  expect(toProblem(cause).detail).toBeUndefined()
})

test('returns a Problem unchanged', () => {
  const own = problem('request/invalid', 'no')
  expect(toProblem(own)).toBe(own)
})

test('rethrows a programming error', () => {
  expect(() => toProblem(new TypeError('x is not a function'))).toThrow(TypeError)
})
