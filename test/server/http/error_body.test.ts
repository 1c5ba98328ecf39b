import { expect, test } from 'vitest'
import { problem } from '../../../src/contract/problems.ts'
import { errorBody, getStatus, problemOf } from '../../../src/server/http/error_body.ts'

test('a problem is returned with its code, data and detail', () => {
  const fault = problem('resource/name-taken', 'Taken.', { data: { resource_id: 7 }, detail: '* one' })
  expect(errorBody(fault, 'id')).toEqual({
    title: 'Display name is not unique',
    message: 'Taken.',
    detail: '* one',
    exception: 'nextgisweb.resource.exception.DisplayNameNotUnique',
    status_code: 422,
    data: { resource_id: 7 },
    code: 'resource/name-taken',
    request_id: 'id',
  })
})

test.each([
  ['an error of ours', new TypeError('x is not a function in secret.ts')],
  [
    'a query that failed',
    problem('database/query', 'syntax error near secret', { data: { sqlstate: '42601' } }),
  ],
  [
    'a file that is gone',
    problem('files/missing', 'there is no file secret', { data: { digest: 'secret' } }),
  ],
  ['something that is no error', 'secret'],
])('%s reveals no internal details', (_, thrown) => {
  const fault = problemOf(thrown)
  const body = errorBody(fault, 'id')
  expect(getStatus(fault)).toBe(500)
  expect(body).toMatchObject({ status_code: 500, code: 'server/internal', data: {}, request_id: 'id' })
  expect(JSON.stringify(body)).not.toMatch(/secret|sqlstate/)
})

test('an unavailable database is reported by its code, without its address', () => {
  const fault = problem('database/unavailable', 'connect ECONNREFUSED 10.0.0.5:5432')
  expect(errorBody(fault, 'id')).toMatchObject({
    status_code: 503,
    code: 'database/unavailable',
    message: 'Database unavailable. Try again; if the problem persists, check the database.',
  })
})

test('a statement timeout is reported with its limit', () => {
  const message = 'A database statement took longer than 10 s, the limit of GET /api/resource/.'
  expect(errorBody(problem('database/timeout', message), 'id')).toMatchObject({
    status_code: 503,
    code: 'database/timeout',
    message,
  })
})

test('errors of the HTTP library keep their status', () => {
  const refused = Object.assign(new Error('Body is too large'), { statusCode: 413 })
  expect(problemOf(refused).code).toBe('request/too-large')
  const odd = Object.assign(new Error("'%zz' is not a valid url component"), { statusCode: 400 })
  expect([problemOf(odd).code, getStatus(problemOf(odd))]).toEqual(['request/malformed', 400])
})
