import { describe, expect, it, test } from 'vitest'
import type { ProblemKind } from '../../src/contract/problems/kind.ts'
import {
  findCodeOfException,
  findCodeOfStatus,
  findWireProblem,
  type ProblemCode,
  problem,
  problems,
} from '../../src/contract/problems.ts'
import { readTexts } from '../support/source/tracked.ts'

const kinds = Object.entries<ProblemKind>(problems)
const wire = kinds.flatMap(([code, kind]) => (kind.status === undefined ? [] : [{ code, ...kind }]))
const ofToolkit = kinds.flatMap(([code, { status }]) => (status === undefined ? [code] : []))

describe('problems of the toolkit', () => {
  it('have an exit code and no HTTP status', () => {
    expect(problem('plan/fuse', 'Too much.')).toMatchObject({ exit: 1, status: undefined })
    expect(findWireProblem('plan/fuse')).toBeUndefined()
    expect(findWireProblem('resource/not-found')?.status).toBe(404)
    expect(findWireProblem('constructor')).toBeUndefined()
  })

  it('are reported by the toolkit, or before a server responds', () => {
    const beforeAnswers = ['usage/bad-argument', 'server/listen', 'pipeline/interrupted']
    const rooms = /^src\/(server|store|import|render|ogc|database|access|style|geo)\//
    const named = readTexts()
      .filter(({ path }) => rooms.test(path))
      .flatMap(({ path, text }) =>
        ofToolkit
          .filter((code) => text.includes(`'${code}'`) && !beforeAnswers.includes(code))
          .map((code) => `${path} ${code}`),
      )
    expect(named).toEqual([])
  })
})

describe('problems of responses', () => {
  it('have an error status, and at most one code represents a status', () => {
    expect(wire.filter(({ status }) => status < 400 || status > 599)).toEqual([])
    const statuses = wire.filter(({ meansStatus }) => meansStatus).map(({ status }) => status)
    expect(new Set(statuses).size).toBe(statuses.length)
    for (const status of statuses)
      expect(findWireProblem(findCodeOfStatus(status) as ProblemCode)?.status).toBe(status)
    expect(findCodeOfStatus(418)).toBeUndefined()
  })

  test.each([
    ['nextgisweb.resource.exception.ResourceNotFound', 'resource/not-found'],
    ['moved.elsewhere.ResourceNotFound', 'resource/not-found'],
    ['nextgisweb.core.exception.InsufficientPermissions', 'access/denied'],
    ['nextgisweb.auth.exception.UserDisabledException', 'auth/disabled'],
    // Several codes have these: the status decides.
    ['nextgisweb.core.exception.ValidationError', undefined],
    ['nextgisweb.core.exception.ForbiddenError', undefined],
    ['constructor', undefined],
  ])('reads %s as %s', (exception, code) => {
    expect(findCodeOfException(exception)).toBe(code)
  })

  test('at most one code represents an exception', () => {
    const shared = Map.groupBy(
      wire.filter(({ meansException }) => meansException),
      ({ exception }) => exception,
    )
    expect([...shared.values()].filter(({ length }) => length > 1)).toEqual([])
  })
})
