import { expect, it } from 'vitest'
import { checkServices } from '../../src/catalog/check_services.ts'
import { checkTarget } from '../support/check_targets.ts'
import { sendImage } from '../support/misbehaving.ts'
import { type TestCertificate, useTlsServices } from '../support/tls_service.ts'

const start = useTlsServices()

async function check(certificate: TestCertificate) {
  const url = await start(certificate, sendImage)
  const targets = (async function* () {
    yield checkTarget({ url: `${url}/{z}/{x}/{y}` })
  })()
  const settings = {
    timeoutMs: 60_000,
    allowsPrivate: () => true,
    signal: new AbortController().signal,
    onError: (error: unknown) => Promise.reject(error),
  }
  return (await Array.fromAsync(checkServices(targets, settings))).flat()[0]
}

it('works with a valid certificate', async () => {
  expect(await check({ name: 'IP:127.0.0.1' })).toMatchObject({ cumulative_status: 'works', http_code: 200 })
})

it.each([
  [{ name: 'IP:127.0.0.1', isExpired: true }, 'its certificate has expired'],
  [{ name: 'DNS:other.example.org' }, 'its certificate is for another host'],
  [{ name: 'IP:127.0.0.1', isSelfSigned: true }, 'its certificate is self-signed'],
])('fails with the certificate %j', async (certificate, reason) => {
  expect(await check(certificate)).toMatchObject({
    cumulative_status: 'failed',
    error_type: null,
    error_text: expect.stringMatching(new RegExp(`^Cannot reach https://127.0.0.1:\\d+: ${reason}.$`)),
    http_code: 0,
  })
})
