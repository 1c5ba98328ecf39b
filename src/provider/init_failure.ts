import { Metadata, status } from '@grpc/grpc-js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import statusPb from '@pulumi/pulumi/proto/status_pb.js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import { type Values, writeProperties } from './property_values.ts'

/** A resource that exists, but not as its inputs say: the creation or update failed halfway. */
export class InitFailure extends Error {
  readonly made: HalfMade

  constructor(reason: string, made: HalfMade) {
    super(reason)
    this.made = made
  }
}

/** What there is of a resource. */
export interface HalfMade {
  readonly id: string
  /** What of the inputs is on the server. */
  readonly inputs: Values
  readonly outputs: Values
  readonly secrets: readonly string[]
}

/** Converts the failure to an error with details, from which the engine records the resource and its failure. */
export function initError({ made: { id, inputs, outputs, secrets }, message }: InitFailure) {
  const detail = new pb.ErrorResourceInitFailed()
    .setId(id)
    .setInputs(writeProperties(inputs, secrets))
    .setProperties(writeProperties(outputs, secrets))
    .setReasonsList([message])
  const packed = new any.Any()
  packed.pack(detail.serializeBinary(), 'pulumirpc.ErrorResourceInitFailed')
  const state = new statusPb.Status().setCode(status.UNKNOWN).setMessage(message)
  state.addDetails(packed)
  const metadata = new Metadata()
  metadata.set('grpc-status-details-bin', Buffer.from(state.serializeBinary()))
  return { code: status.UNKNOWN, message, metadata }
}
