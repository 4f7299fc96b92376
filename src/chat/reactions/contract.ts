import { z } from 'zod'

/** Short names as in other chat systems. Whatever is not here is typed or pasted as the character itself. */
const pairs =
  `+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|clap 👏|wave 👋|pray 🙏|muscle 💪|ok_hand 👌|raised_hands 🙌|point_right 👉|point_left 👈
point_up ☝️|point_down 👇|eyes 👀|handshake 🤝|writing_hand ✍️|smile 😄|grin 😁|joy 😂|rofl 🤣|slightly_smiling_face 🙂|wink 😉|blush 😊
heart_eyes 😍|thinking 🤔|neutral_face 😐|sweat_smile 😅|sob 😭|cry 😢|angry 😠|rage 😡|scream 😱|flushed 😳|sunglasses 😎
partying_face 🥳|shrug 🤷|facepalm 🤦|sleeping 😴|zany_face 🤪|exploding_head 🤯|salute 🫡|robot 🤖|ghost 👻|skull 💀|heart ❤️
broken_heart 💔|fire 🔥|sparkles ✨|star ⭐|zap ⚡|boom 💥|100 💯|tada 🎉|balloon 🎈|gift 🎁|trophy 🏆|rocket 🚀|ship 🚢|package 📦
truck 🚚|moneybag 💰|dollar 💵|credit_card 💳|receipt 🧾|chart_up 📈|chart_down 📉|calendar 📅|clock 🕒|hourglass ⏳|alarm_clock ⏰
bell 🔔|no_bell 🔕|bellhop_bell 🛎️|loudspeaker 📢|speech_balloon 💬|email 📧|phone 📞|link 🔗|paperclip 📎|pushpin 📌|memo 📝|pencil ✏️
clipboard 📋|books 📚|mag 🔍|bulb 💡|lock 🔒|unlock 🔓|key 🔑|shield 🛡️|wrench 🔧|hammer 🔨|gear ⚙️|bug 🐛|construction 🚧|fire_engine 🚒
warning ⚠️|rotating_light 🚨|no_entry ⛔|stop_sign 🛑|question ❓|exclamation ❗|white_check_mark ✅|heavy_check_mark ✔️|x ❌
red_circle 🔴|orange_circle 🟠|yellow_circle 🟡|green_circle 🟢|blue_circle 🔵|arrow_up ⬆️|arrow_down ⬇️|arrow_right ➡️|repeat 🔁
coffee ☕|beer 🍺|pizza 🍕|cake 🍰|sunny ☀️|rain 🌧️|snow ❄️|rainbow 🌈|tree 🌳|dog 🐶|cat 🐱|penguin 🐧|snail 🐌|unicorn 🦄|globe 🌍`
    .split(/[|\n]/)
    .map((pair) => pair.split(' '))

export const emoji: Readonly<Record<string, string>> = Object.fromEntries(pairs)

/** The first name of each character, in the order of the list. */
export const emojiNames: readonly string[] = [
  ...new Map(pairs.toReversed().map(([name = '', character]) => [character, name])).values(),
].toReversed()

/** So many different ones on one message; further people can join those. */
export const mostEmoji = 20

export const reactionShape = z.object({
  /** The short name: `tada`. */
  name: z.string(),
  /** The character: 🎉. */
  emoji: z.string(),
  /** Oldest first. */
  people: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type Reaction = z.output<typeof reactionShape>
