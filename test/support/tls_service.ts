import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll } from 'vitest'

/** Certificate of a local HTTPS service. */
export interface TestCertificate {
  /** Subject alternative name. */
  readonly name: string
  readonly isExpired?: boolean
  /** Whether the certificate is not signed by the test authority, which this process trusts. */
  readonly isSelfSigned?: boolean
}

const config = `
[ca]
default_ca = test
[test]
database = index.txt
serial = serial
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = policy
unique_subject = no
copy_extensions = copy
[policy]
commonName = supplied
[req]
distinguished_name = subject
[subject]
`

/** Provides HTTPS services for a test file, stopped after its last test. This process trusts their authority until then. */
export function useTlsServices(): (certificate: TestCertificate, answer: RequestListener) => Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'landform-tls-'))
  const trusted = getCACertificates('default')
  const servers: Server[] = []
  createAuthority(folder)
  setDefaultCACertificates([...trusted, readFileSync(join(folder, 'ca.pem'), 'utf8')])
  afterAll(() => {
    setDefaultCACertificates(trusted)
    rmSync(folder, { recursive: true })
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })
  return async (certificate, answer) => {
    const server = createServer(createCertificate(folder, certificate), answer)
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-config', 'openssl.cnf']

function createAuthority(folder: string): void {
  writeFileSync(join(folder, 'openssl.cnf'), config)
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'serial'), '01')
  openssl(folder, [
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Test',
    '-days',
    '2',
  ])
}

function createCertificate(folder: string, { name, isExpired, isSelfSigned }: TestCertificate) {
  const subject = ['-subj', '/CN=Service', '-addext', `subjectAltName=${name}`, '-keyout', 'service.key']
  if (isSelfSigned)
    openssl(folder, ['req', '-x509', ...newKey, ...subject, '-out', 'service.pem', '-days', '2'])
  else {
    openssl(folder, ['req', ...newKey, ...subject, '-out', 'service.csr'])
    const times = [
      '-startdate',
      '20200101000000Z',
      '-enddate',
      isExpired ? '20200201000000Z' : '20991231000000Z',
    ]
    const files = ['-in', 'service.csr', '-out', 'service.pem', '-notext']
    openssl(folder, ['ca', '-batch', '-config', 'openssl.cnf', ...files, ...times])
  }
  return { key: readFileSync(join(folder, 'service.key')), cert: readFileSync(join(folder, 'service.pem')) }
}

function openssl(cwd: string, words: readonly string[]): void {
  execFileSync('openssl', words, { cwd, stdio: 'pipe' })
}
