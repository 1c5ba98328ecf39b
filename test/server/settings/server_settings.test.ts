import { describe, expect, it, test } from 'vitest'
import { isProblem } from '../../../src/core/problem.ts'
import { completeSettings, listSettings, readSettings } from '../../../src/server/settings/server_settings.ts'

const settings = listSettings().map(([, setting]) => setting)

test('every setting has its own variable, and no secret has an option', () => {
  const variables = settings.map(({ variable }) => variable)
  expect(new Set(variables).size).toBe(variables.length)
  expect(settings.filter(({ flag }) => flag === undefined).map(({ variable }) => variable)).toEqual([
    'LANDFORM_ADMIN_PASSWORD',
    'LANDFORM_SECRET_KEY',
  ])
})

test.each(settings.filter((setting) => 'default' in setting))(
  'the default of $variable is what the help says',
  ({ default: value, defaultHelp, parse, variable }) => {
    if (defaultHelp !== undefined) expect(parse(defaultHelp, variable)).toEqual(value)
    else expect([false, []]).toContainEqual(value)
  },
)

describe('readSettings', () => {
  const wrong: Readonly<Record<string, string>> = {
    '--listen': 'nowhere',
    '--database': 'mysql://db/gis',
    '--trust-proxy': 'loopback,everybody',
    '--cors-origin': 'https://a.example,b.example',
    '--crs': '25832,utm',
    '--allow-private-addresses': 'maybe',
    '--catalog-check': 'never',
    '--catalog-check-host': 'a.example,http://b.example',
    '--catalog-check-timeout': '0',
    '--catalog-history': '1.5',
    '--body-limit': 'much',
    '--upload-limit': '0',
    '--guest-upload-quota': '-1',
    '--min-rate': '0',
    '--client-timeout': '100000',
    '--dialect': 'latin',
    '--plain': 'maybe',
    '--log-level': 'loud',
    '--password-cost': '10',
    LANDFORM_ADMIN_PASSWORD: 'x',
  }
  const hidden = ['LANDFORM_DATABASE', 'LANDFORM_ADMIN_PASSWORD']

  it.each(
    settings.flatMap(({ flag, variable }) => {
      const value = wrong[flag ?? variable]
      return value === undefined ? [] : [{ flag, variable, value }]
    }),
  )('refuses $variable "$value" by the name that holds it', ({ flag, variable, value }) => {
    const refusal = (read: () => unknown) => {
      try {
        read()
      } catch (error) {
        if (isProblem(error)) return error
      }
      throw new Error(`${variable} was taken`)
    }
    const names = flag === undefined ? [variable] : [flag, variable]
    for (const name of names) {
      const isFlag = name === flag
      const error = refusal(() =>
        readSettings(isFlag ? { [name]: value } : {}, isFlag ? {} : { [name]: value }),
      )
      expect(error).toMatchObject({ code: 'usage/bad-argument', exit: 3, hint: expect.stringMatching(/\.$/) })
      expect(error.message).toMatch(new RegExp(`^Cannot use ${name}[ :]`))
      if (!hidden.includes(variable)) expect(error.message).toContain(value.split(',').at(-1))
    }
  })

  it('prefers the option to the variable, and treats an empty variable as unset', () => {
    const env = { LANDFORM_BODY_LIMIT: '2MiB', LANDFORM_UPLOAD_LIMIT: '', LANDFORM_PLAIN: 'true' }
    expect(readSettings({ '--body-limit': '1MiB', '--dialect': undefined }, env)).toEqual({
      bodyLimitBytes: 2 ** 20,
      plain: true,
    })
    expect(readSettings({}, { LANDFORM_CORS_ORIGIN: 'https://A.example, https://b.example' })).toEqual({
      corsOrigins: ['https://a.example', 'https://b.example'],
    })
    expect(readSettings({}, { LANDFORM_DIALECT: 'ngw' })).toEqual({ dialect: 'nextgis' })
  })
})

describe('completeSettings', () => {
  it('derives the guest quota from the upload limit', () => {
    expect(completeSettings({ uploadLimitBytes: 5 })).toMatchObject({
      uploadLimitBytes: 5,
      guestUploadBytes: 5,
    })
    expect(completeSettings({ uploadLimitBytes: 5, guestUploadBytes: 3, plain: undefined })).toMatchObject({
      guestUploadBytes: 3,
      plain: false,
      listen: { host: '127.0.0.1', port: 8080 },
    })
  })
})
