type Place = { channelId: string; messageId: string | null | undefined }

/** The channel, at the message if that is known. */
export function linkToMessage({ channelId, messageId }: Place): string {
  return messageId ? `/channels/${channelId}?message=${messageId}` : `/channels/${channelId}`
}
