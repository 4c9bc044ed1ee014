# frozen_string_literal: true

# A Rack application with omniauth_openid_connect, set as GitLab sets it: discovery, the secret by Basic, uid_field sub.

require 'json'
require 'logger'
require 'net/http'
require 'omniauth_openid_connect'
require 'rack'
require 'rack/handler/webrick'
require 'securerandom'
require 'socket'
require 'uri'

ISSUER = ENV.fetch('GATEHOUSE_ISSUER')
EMAIL = ENV.fetch('GATEHOUSE_EMAIL')
PASSWORD = ENV.fetch('GATEHOUSE_PASSWORD')

# The libraries' own switch for an issuer without TLS.
SWD.url_builder = URI::HTTP
SWD.logger = OpenIDConnect.logger = OmniAuth.config.logger = Logger.new(IO::NULL)
OmniAuth.config.allowed_request_methods = [:get]
OmniAuth.config.silence_get_warning = true

# One browser: cookies by host and port, the forms of the hosted pages.
class User
  def initialize
    @cookies = Hash.new { |hash, key| hash[key] = {} }
  end

  # Goes to an address, signs in and consents where a page asks; answers the first page of the application.
  def browse(address, application)
    uri = URI(address)
    answer = send_to(uri)
    30.times do
      if answer['location']
        uri = URI.join(uri, answer['location'])
        raise "left for #{uri}" unless uri.to_s.start_with?("#{ISSUER}/", "#{application}/")

        answer = send_to(uri)
      elsif uri.to_s.start_with?("#{application}/")
        return answer
      else
        raise "#{answer.code} at #{uri}: #{answer.body}" unless answer.code == '200'

        uri = URI.join(uri, CGI.unescapeHTML(answer.body[/<form\b[^>]*\baction="([^"]*)"/, 1]))
        answer = send_to(uri, fields_of(answer.body))
      end
    end
    raise 'too many pages'
  end

  # Goes to an address and answers the first page of the service that it leads to; with `form`, after pressing its button.
  def page_at(address, form: false)
    uri = URI(address)
    answer = send_to(uri)
    loop do
      if answer['location']
        uri = URI.join(uri, answer['location'])
        answer = send_to(uri)
      elsif form
        form = false
        fields = answer.body.scan(/<input\b[^>]*>/).to_h { |tag| [tag[/\bname="([^"]*)"/, 1], tag[/\bvalue="([^"]*)"/, 1].to_s] }
        uri = URI.join(uri, CGI.unescapeHTML(answer.body[/<form\b[^>]*\baction="([^"]*)"/, 1]))
        answer = send_to(uri, fields)
      else
        return answer
      end
    end
  end

  private

  def fields_of(page)
    fields = page.scan(/<input\b[^>]*>/).to_h { |tag| [tag[/\bname="([^"]*)"/, 1], CGI.unescapeHTML(tag[/\bvalue="([^"]*)"/, 1].to_s)] }
    if fields.key?('password')
      fields.merge('username' => EMAIL, 'password' => PASSWORD)
    else
      raise page unless page.include?('value="allow"')

      fields.merge('decision' => 'allow')
    end
  end

  def send_to(uri, form = nil)
    jar = @cookies["#{uri.host}:#{uri.port}"]
    request = (form ? Net::HTTP::Post : Net::HTTP::Get).new(uri)
    request['cookie'] = jar.map { |pair| pair.join('=') }.join('; ')
    request.set_form_data(form.reject { |name, _| name.nil? }) if form
    answer = Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
    answer.get_fields('set-cookie').to_a.each { |line| jar.store(*line.split(';').first.split('=', 2)) }
    answer
  end
end

port = TCPServer.open('127.0.0.1', 0) { |server| server.addr[1] }
origin = "http://127.0.0.1:#{port}"
server = JSON.parse(Net::HTTP.get(URI("#{ISSUER}/.well-known/openid-configuration")))
registration = Net::HTTP.post(
  URI(server.fetch('registration_endpoint')),
  {
    client_name: 'GitLab',
    redirect_uris: ["#{origin}/auth/openid_connect/callback"],
    grant_types: %w[authorization_code refresh_token]
  }.to_json,
  'content-type' => 'application/json'
)
client = JSON.parse(registration.body)
raise registration.body unless registration.code == '201'

application = Rack::Builder.new do
  use Rack::Session::Cookie, secret: SecureRandom.hex(64)
  use OmniAuth::Builder do
    provider :openid_connect,
             scope: %i[openid profile email],
             response_type: 'code',
             issuer: ISSUER,
             discovery: true,
             client_auth_method: 'basic',
             uid_field: 'sub',
             send_scope_to_token_endpoint: false,
             client_options: {
               identifier: client.fetch('client_id'),
               secret: client.fetch('client_secret'),
               redirect_uri: "#{origin}/auth/openid_connect/callback"
             }
  end
  run lambda { |env|
    auth = env['omniauth.auth']
    failure = env['PATH_INFO'] == '/auth/failure' && env['QUERY_STRING']
    said = auth ? { uid: auth.uid, info: auth.info, refresh: !auth.credentials.refresh_token.nil? } : { failure: failure }
    [200, { 'content-type' => 'application/json' }, [said.to_json]]
  }
end

quiet = { Port: port, Host: '127.0.0.1', Logger: WEBrick::Log.new(IO::NULL), AccessLog: [] }
Thread.new { Rack::Handler::WEBrick.run(application, **quiet) }
begin
  TCPSocket.new('127.0.0.1', port).close
rescue Errno::ECONNREFUSED
  sleep 0.05
  retry
end

user = User.new
me = JSON.parse(user.browse("#{origin}/auth/openid_connect", origin).body)
raise me.to_s unless me.dig('info', 'email') == EMAIL && me['uid'] && me['refresh']

puts '  ok  signed in: discovery, state, nonce and id token checked by the library'
page = user.page_at("#{origin}/auth/openid_connect/logout", form: true)
raise page.body unless page.code == '200'

# The library names no client and shows no id token: the service asks, and goes nowhere.
page = user.page_at("#{origin}/auth/openid_connect")
raise page.body unless page.body.include?('type="password"')

puts '  ok  signed out: the user was asked, and has to sign in again'
