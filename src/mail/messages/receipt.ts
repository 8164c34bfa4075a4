import type { Locale } from '../../domain/statuses.ts';

/** The texts of a receipt in addition to those of the checkout page. */
export interface ReceiptTexts {
  subject: string;
  title: string;
  thanks: string;
  test: string;
  shopReference: string;
  keep: string;
  help: string;
}

/** `{merchant}` and `{amount}` are filled in. */
export const receiptTexts: Readonly<Record<Locale, ReceiptTexts>> = {
  en: {
    subject: 'Receipt from {merchant}: {amount}',
    title: 'Your receipt',
    thanks: '{merchant} received your payment of {amount}.',
    test: 'Test payment. No real money was charged.',
    shopReference: 'Order',
    keep: 'Keep this e-mail in case you contact {merchant}.',
    help: 'Questions about your order? Contact {merchant}: {contact}',
  },
  es: {
    subject: 'Comprobante de {merchant}: {amount}',
    title: 'Tu comprobante',
    thanks: '{merchant} recibió tu pago de {amount}.',
    test: 'Pago de prueba. No se cobró dinero real.',
    shopReference: 'Pedido',
    keep: 'Guarda este correo por si necesitas contactar a {merchant}.',
    help: '¿Tienes preguntas sobre tu pedido? Contacta a {merchant}: {contact}',
  },
  pt: {
    subject: 'Comprovante de {merchant}: {amount}',
    title: 'Seu comprovante',
    thanks: '{merchant} recebeu seu pagamento de {amount}.',
    test: 'Pagamento de teste. Nenhum valor real foi cobrado.',
    shopReference: 'Pedido',
    keep: 'Guarde este e-mail caso precise entrar em contato com {merchant}.',
    help: 'Dúvidas sobre o seu pedido? Fale com {merchant}: {contact}',
  },
};
