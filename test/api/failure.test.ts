import { describe, expect, it } from 'vitest'
import { problemOfAnswer } from '../../src/api/failure.ts'

const answer = (status: number, body: unknown, more: object = {}) =>
  problemOfAnswer({
    status,
    origin: 'http://gis.test',
    what: 'GET /api/resource/7',
    text: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  })

describe('problemOfAnswer', () => {
  it('prefers the hint of the server to that of the code', () => {
    const body = { code: 'source/bad-features', message: 'It holds points and lines.', hint: 'Choose one.' }
    expect(answer(422, body).hint).toBe('Choose one.')
    expect(answer(422, { ...body, hint: 5 }).hint).toContain('skip_errors')
  })

  it('keeps the code, status, detail and data of a landform server', () => {
    const body = {
      code: 'source/bad-features',
      title: 'Validation error',
      message: 'Three features cannot be loaded.',
      detail: '- feature 7: no geometry',
      data: { count: 3 },
      request_id: 'ab12',
    }
    expect(answer(422, body)).toMatchObject({
      code: 'source/bad-features',
      status: 422,
      message: body.message,
      detail: body.detail,
      data: { count: 3, request_id: 'ab12' },
    })
  })

  it.each([
    ['must not be empty - at $.resource.display_name', 'resource.display_name: must not be empty'],
    ['unknown field - at $.feature_layer.fields.0.keyname', 'feature_layer.fields[0].keyname: unknown field'],
    ['the list has 3 items - at $', 'the list has 3 items'],
    ['bad <width> - at $.mapsrv_style.xml, line 3', 'mapsrv_style.xml: bad <width>, line 3'],
    ['it costs $ - at $.a b', 'it costs $ - at $.a b'],
  ])('starts the message with the invalid field: %s', (message, shown) => {
    expect(answer(422, { code: 'request/invalid', message }).message).toBe(shown)
  })

  it.each([
    ['nextgisweb.resource.exception.ResourceNotFound', 404, 'resource/not-found'],
    ['nextgisweb.resource.exception.DisplayNameNotUnique', 422, 'resource/name-taken'],
    ['nextgisweb.core.exception.ValidationError', 422, 'request/invalid'],
    ['nextgisweb.core.exception.InsufficientPermissions', 403, 'access/denied'],
    ['something.else', 500, 'http/unexpected'],
  ])('reads %s of NextGIS Web as %i %s', (exception, status, code) => {
    expect(answer(status, { exception, message: 'x' }).code).toBe(code)
  })

  it('does not show pages of proxies', () => {
    const fault = answer(502, '<html>secret banner</html>')
    expect([fault.code, fault.message]).toEqual([
      'http/unexpected',
      'http://gis.test returned status 502 for GET /api/resource/7.',
    ])
  })

  it('does not repeat the message as a hint', () => {
    const fault = answer(503, {
      code: 'files/full',
      message: 'Disk full. Free some disk space in the data directory.',
    })
    expect([fault.message, fault.hint]).toEqual(['Disk full.', 'Free some disk space in the data directory.'])
  })

  it('reports the target of a redirect', () => {
    expect(answer(301, '', { location: 'https://gis.test/' }).message).toBe(
      'http://gis.test redirects GET /api/resource/7 to https://gis.test/.',
    )
  })

  it('ignores codes that the contract does not have', () => {
    expect(answer(404, { code: 'constructor', message: 'x' }).code).toBe('request/not-found')
  })
})
