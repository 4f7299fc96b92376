type Place = { channelId: string; messageId: string | null | undefined }

/** The link to a channel, or to the message in it if that is known. */
export function linkToMessage({ channelId, messageId }: Place): string {
  return messageId ? `/channels/${channelId}?message=${messageId}` : `/channels/${channelId}`
}
