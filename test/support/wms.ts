import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** WMS capabilities with the layers `roads` and `rails` below a category. */
export const capabilities = `<?xml version="1.0" encoding="UTF-8"?>
<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">
  <Service><Name>WMS</Name><Title>Service</Title></Service>
  <Capability>
    <Request>
      <GetCapabilities><Format>text/xml</Format></GetCapabilities>
      <GetMap><Format>image/png</Format><Format>image/jpeg</Format></GetMap>
    </Request>
    <Layer>
      <Title>Everything</Title>
      <Layer>
        <Name>roads</Name><Title>Roads &amp; paths</Title>
        <EX_GeographicBoundingBox>
          <westBoundLongitude>5.5</westBoundLongitude><eastBoundLongitude>15</eastBoundLongitude>
          <southBoundLatitude>47</southBoundLatitude><northBoundLatitude>55</northBoundLatitude>
        </EX_GeographicBoundingBox>
        <Style><Name>default</Name><Title>Default</Title></Style>
      </Layer>
      <Layer><Name>rails</Name></Layer>
    </Layer>
  </Capability>
</WMS_Capabilities>`

/** A local HTTP service with responses set by a test. */
export interface TestService {
  /** `http://127.0.0.1:port`. */
  url: string
  /** Responds to the next requests. */
  answer: RequestListener
  /** Method and target of each request, with its Authorization header if present. */
  readonly requests: string[]
}

/** Provides a service for a test file, stopped after its last test; with the host 0.0.0.0 it has all local addresses. */
export function useService(host = '127.0.0.1'): () => Promise<TestService> {
  let starting: Promise<TestService> | undefined
  const service: TestService = {
    url: '',
    answer: (_, response) => response.end(),
    requests: [],
  }
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    service.requests.push(
      [`${request.method} ${request.url}`, ...(authorization ? [authorization] : [])].join(' '),
    )
    service.answer(request, response)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return () => {
    starting ??= new Promise((resolve) => {
      server.listen(0, host, () => {
        service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resolve(service)
      })
    })
    return starting
  }
}
